import type { Hash } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { TYPE } from "@uncaged/workflow-store";
import { readLeadingOptions } from "../options.js";
import type { CheckRequest, Ran, Verdict } from "./types.js";

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
      `the value of ${leak.name}, a key, is in its ${kindOf(leak.type)} ${leak.node}`,
      "before you store anything, put [redacted:<NAME>] in place of the values that UWF_KEY_NAMES and the storage root's .env name",
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

/** The agent's last words, as a part of a sentence: its error, else the last line of its stderr. */
export function lastWords({ stderr }: Ran): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint: "));
  const from = lines.findLastIndex((line) => line.startsWith("error["));
  const words = lines.slice(from === -1 ? -1 : from).map((line) => line.trim());
  return words.length === 0 ? ", and said nothing on stderr" : `: ${words.join(" ").slice(0, 300)}`;
}

export const CHECK_USAGE =
  "usage: uwf-agent-check [--json] [--keep] [--only <case,…>] [--timeout <seconds>] [--role <name>] [--meta <file.json>] [--task <text>] [--cwd <folder>] [--config-from <storage root>] [--] <command> [args…]";

const TASK =
  "Write one short sentence on why small tools are good. There is nothing to build and nothing to look up: use no tools.";

const DEFAULTS: CheckRequest = {
  program: "",
  args: [],
  only: null,
  json: false,
  keep: false,
  timeoutMs: 600_000,
  role: "writer",
  metaFile: null,
  task: TASK,
  cwd: null,
  configFrom: null,
};

/** The options, then the agent's command, optionally separated by `--`. */
export function parseCheckWords(
  argv: readonly string[],
  cases: readonly string[],
): Result<CheckRequest, string> {
  const read = readLeadingOptions(argv, { flags: Object.keys(FLAGS), values: Object.keys(OPTIONS) });
  if (!read.ok) return read;
  let request = DEFAULTS;
  for (const [name, value] of read.value.options) {
    const fields = FLAGS[name] ?? OPTIONS[name]?.(value, cases) ?? {};
    if (typeof fields === "string") return err(fields);
    request = { ...request, ...fields };
  }
  const [program, ...args] = read.value.command;
  return program === undefined ? err("no command is named") : ok({ ...request, program, args });
}

const FLAGS: Readonly<Record<string, Partial<CheckRequest>>> = {
  "--json": { json: true },
  "--keep": { keep: true },
};

type Read = (value: string, cases: readonly string[]) => Partial<CheckRequest> | string;

const OPTIONS: Readonly<Record<string, Read>> = {
  "--only": (value, cases) => {
    const only = value.split(",").map((name) => name.trim());
    const unknown = only.find((name) => !cases.includes(name));
    return unknown === undefined
      ? { only }
      : `there is no case "${unknown}"; the cases are ${cases.join(", ")}`;
  },
  "--timeout": (value) => {
    const seconds = Number(value);
    return seconds > 0
      ? { timeoutMs: Math.round(seconds * 1000) }
      : `--timeout ${value} is not a number of seconds`;
  },
  "--role": (role) =>
    /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(role) ? { role } : `--role ${role} is not the name of a role`,
  "--meta": (metaFile) => ({ metaFile }),
  "--task": (task) => ({ task }),
  "--cwd": (cwd) => ({ cwd }),
  "--config-from": (configFrom) => ({ configFrom }),
};
