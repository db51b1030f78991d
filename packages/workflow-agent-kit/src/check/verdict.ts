import type { Hash } from "@uncaged/json-cas";
import { TYPE } from "@uncaged/workflow-store";
import type { Ran, Verdict } from "./types.js";

export function fine(says: string): Verdict {
  return { status: "ok", says };
}

export function skipped(says: string): Verdict {
  return { status: "skipped", says };
}

export function failing(says: string, fix: string): Verdict {
  return { status: "failed", says, fix };
}

/** What is wrong with a run that ought to have made a step; `null` when nothing is. */
export function wrongWith(ran: Ran): Verdict | null {
  const { step } = ran;
  if (ran.outcome === DID_NOT_EXIT)
    return failing(
      `it ${ran.outcome}`,
      "exit once the hash is printed: close connections, timers and children",
    );
  if (ran.code !== 0)
    return failing(`it ${ran.outcome}${lastWords(ran)}`, "a run that has done its work exits with 0");
  if (!step.ok)
    return failing(
      `it exited with 0, but ${step.reason}`,
      "print the hash of the new StepNode as the last line, after everything else",
    );
  return misbehaved(ran);
}

const DID_NOT_EXIT = "printed the step, but did not exit";

/** What no run may do, however it ends. */
export function misbehaved(ran: Ran): Verdict | null {
  const [file] = ran.touched;
  if (file !== undefined)
    return failing(`it changed ${file}`, "an agent writes nodes only; the head is moved by uwf");
  const [leak] = ran.leaked;
  if (leak !== undefined)
    return failing(
      `the value of ${leak.name}, a key, stands in its ${kindOf(leak.type)} ${leak.node}`,
      "before you store anything, put [redacted:<NAME>] in the place of the values that UWF_KEY_NAMES and the storage root's .env name",
    );
  if (ran.left === 0) return null;
  return failing(
    `${ran.left} of its processes were still there when it had ended`,
    "end your children before you exit",
  );
}

function kindOf(type: Hash): string {
  switch (type) {
    case TYPE.content:
      return "content node";
    case TYPE.reactSession:
    case TYPE.extractedSession:
      return "react-session";
    case TYPE.reactTurn:
      return "react-turn";
    case TYPE.reactToolCall:
      return "react-tool-call";
    case TYPE.stepNode:
      return "step";
    default:
      return "output";
  }
}

/** What it said in the end, as a part of a sentence: its error, else its last line. */
export function lastWords({ stderr }: Ran): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint: "));
  const from = lines.findLastIndex((line) => line.startsWith("error["));
  const words = lines.slice(from === -1 ? -1 : from).map((line) => line.trim());
  return words.length === 0 ? ", and said nothing on stderr" : `: ${words.join(" ").slice(0, 300)}`;
}
