import type { JsonObject } from "@uncaged/json-cas";
import { isObject } from "@uncaged/json-cas";
import { LIMITS } from "@uncaged/workflow-protocol";
import { readReply } from "@uncaged/workflow-store";
import { lostSession, resume } from "./resume.js";
import { readTrace, sessionIn } from "./scratch.js";
import type { Case, Lab, Ran, Variation, Verdict } from "./types.js";
import { failing, fine, lastWords, misbehaved, skipped, wrongWith } from "./verdict.js";

type Wrong = readonly [what: string, variation: Partial<Variation>, code: number];

const NO_THREAD = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A hash that does not occur in the thread. */
const OTHER_HEAD = "0000000000000";

const WRONG: readonly Wrong[] = [
  ["a thread that does not exist", { thread: NO_THREAD }, 3],
  ["a role that the workflow does not have", { role: "no-such-role" }, 4],
  ["a head that has moved (UWF_HEAD)", { head: OTHER_HEAD }, 75],
];

/** Checks that an impossible task ends with a status other than 0, and makes no step. */
const exitCodes: Case = {
  name: "exit-codes",
  needsGood: false,
  run: async (lab) => {
    const messages: string[] = [];
    for (const wrong of WRONG) {
      const ran = await playWrong(lab, wrong);
      const [what, , code] = wrong;
      const fix = `for ${what} exit with another status than 0 (the codes of uwf say ${code}), before any work is done`;
      if (ran.code === 0) return failing(`for ${what} it exited with 0`, fix);
      if (ran.code === null) return failing(`for ${what} it ${ran.outcome}`, fix);
      const bad = misbehaved(ran);
      if (bad !== null) return bad;
      messages.push(`${ran.code} for ${what}${ran.code === code ? "" : ` (${code} in uwf's table)`}`);
    }
    return fine(messages.join(", "));
  },
};

async function playWrong(lab: Lab, [, variation]: Wrong): Promise<Ran> {
  return lab.play(await lab.newThread({ task: null, meta: null }), variation);
}

const goodReply: Case = {
  name: "good-reply",
  needsGood: false,
  run: async (lab) => {
    const { ran } = await lab.good();
    const wrong = wrongWith(ran);
    if (wrong !== null || !ran.step.ok) return wrong ?? failing(ran.outcome, "");
    const { hash, payload } = ran.step.node;
    const reply = readReply(lab.storage.cas, payload.detail);
    if (!reply.ok || reply.value === null) {
      return failing(
        "its detail leads to no reply",
        "let detail be a content node with the reply, or a react-session",
      );
    }
    const by = sessionIn(lab.storage, payload.detail)?.agent ?? payload.agent;
    return fine(`step ${hash} by ${by}; ${readTrace(lab.storage, payload.detail)}`);
  },
};

/** DEBUG and colours make programs verbose; the hash must still come through. */
const TALKATIVE = { DEBUG: "*", FORCE_COLOR: "1", CLICOLOR_FORCE: "1" };

const noise: Case = {
  name: "noise",
  needsGood: true,
  run: async (lab) => {
    const ran = await lab.play(await lab.newThread({ task: null, meta: null }), { env: TALKATIVE });
    const wrong = wrongWith(ran);
    if (wrong !== null) return wrong;
    return tooMuchNoise(ran) ?? fine(`with DEBUG=* and FORCE_COLOR=1: ${linesBefore(ran)}, then the hash`);
  },
};

function tooMuchNoise({ stdout }: Ran): ReturnType<typeof failing> | null {
  if (Buffer.byteLength(stdout) < LIMITS.agentStdoutTail) return null;
  return failing(
    "it writes 64 KiB and more to stdout",
    "write everything but the result to stderr: uwf reads only the last 64 KiB of stdout",
  );
}

function linesBefore({ stdout }: Ran): string {
  const lines = stdout.split("\n").filter((line) => line.trim() !== "").length - 1;
  return lines === 1 ? "1 line of noise" : `${lines} lines of noise`;
}

/** More than one argument of a command line can hold (128 KiB). */
const LONG_BYTES = 300_000;

const longPrompt: Case = {
  name: "long-prompt",
  needsGood: true,
  run: async (lab) => {
    const ran = await lab.play(await lab.newThread({ task: longTask(lab), meta: null }), {});
    const fix =
      "hand the prompt on through stdin or a file: one argument holds no more than 128 KiB on Linux";
    if (ran.code !== 0) return failing(`with a task of ${LONG_BYTES} bytes it ${ran.outcome}`, fix);
    return wrongWith(ran) ?? fine(`a task of ${LONG_BYTES} bytes`);
  },
};

function longTask({ request }: Lab): string {
  const line = "This line is only here to make the task long; nothing is to be done about it.\n";
  return `${request.task}\n\n${line.repeat(Math.ceil(LONG_BYTES / line.length))}\n${request.task}`;
}

/**
 * Keys get into prompts and replies by accident; here the task itself contains them. Every run of the check looks
 * for them.
 */
const keys: Case = {
  name: "keys",
  needsGood: true,
  run: async (lab) => {
    const words = lab.keys.map(({ value }) => value).join(" ");
    const task = `${lab.request.task}\n\nThe text has these words in it, as they are: ${words}`;
    const ran = await lab.play(await lab.newThread({ task, meta: null }), {});
    return wrongWith(ran) ?? fine("the keys of the environment and of .env are in no node");
  },
};

/** When SIGTERM comes at the latest: earlier with every try, for agents that were through before. */
const TRIES_MS = [5000, 1000, 100];

export const kill: Case = {
  name: "kill",
  needsGood: false,
  run: async (lab) => {
    for (const afterMs of TRIES_MS) {
      const task = afterMs === TRIES_MS[0] ? null : slowTask(lab);
      const ran = await lab.play(await lab.newThread({ task, meta: null }), { interruptAfterMs: afterMs });
      if (!ran.interrupted && ran.code !== 0)
        return skipped("not tried: it had failed before the kill, see good-reply");
      const wrong = ran.interrupted ? wrongAfterKill(lab, ran) : null;
      if (wrong !== null) return wrong;
      if (ran.interrupted && !ran.step.ok) return fine(`it ended within ${lab.graceMs / 1000} s of SIGTERM`);
    }
    return skipped(
      `not tried: in ${TRIES_MS.length} runs the agent had ended, or made its step, before the kill`,
    );
  },
};

function wrongAfterKill(lab: Lab, ran: Ran): Verdict | null {
  const seconds = lab.graceMs / 1000;
  if (ran.endedAfterMs >= lab.graceMs) {
    const fix = "end on SIGTERM, and your children with you: they are in your process group";
    return failing(`it, or a child of it, was still there ${seconds} s after SIGTERM`, fix);
  }
  if (!ran.step.ok && ran.stdout.trim() !== "") {
    return failing(
      `it was interrupted, and ${ran.step.reason}`,
      "print the hash after everything is stored, not before",
    );
  }
  return misbehaved(ran);
}

function slowTask({ request }: Lab): string {
  return `${request.task}\n\nTake your time: after that sentence write five hundred words more on it.`;
}

/** No text has at least 2 characters and at most 1. */
const UNMEETABLE: JsonObject = { type: "string", minLength: 2, maxLength: 1 };

/** With any reply a required field is missing or invalid, so the run has to fail and say why. */
const missingField: Case = {
  name: "missing-field",
  needsGood: true,
  run: async (lab) => {
    const ran = await lab.play(await lab.newThread({ task: null, meta: withUnmeetable(lab.meta) }), {});
    const fix =
      "validate the output against the role's meta before anything is stored; without a valid one exit with another status than 0";
    if (ran.code === 0)
      return failing("it exited with 0, although no reply can satisfy the role's meta", fix);
    if (ran.code === null) return failing(`it ${ran.outcome}`, fix);
    return misbehaved(ran) ?? fine(`it ${ran.outcome}${lastWords(ran)}`);
  },
};

function withUnmeetable(meta: JsonObject): JsonObject {
  const { properties = {}, required = [] } = meta;
  const fields = isObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required : [];
  return { ...meta, properties: { ...fields, unmeetable: UNMEETABLE }, required: [...names, "unmeetable"] };
}

const version: Case = {
  name: "version",
  needsGood: false,
  run: async ({ ask }) => {
    const { code, outcome, stdout } = await ask(["--version"]);
    const lines = stdout.split("\n").filter((line) => line.trim() !== "");
    const fix =
      "with --version alone print one line and exit with 0 within three seconds: uwf doctor asks so";
    if (code !== 0) return failing(`with --version it ${outcome}`, fix);
    return lines.length === 1
      ? fine(lines[0] ?? "")
      : failing(`--version printed ${lines.length} lines`, fix);
  },
};

/** In the order in which they are run: what costs nothing comes first. */
export const CASES: readonly Case[] = [
  version,
  exitCodes,
  goodReply,
  missingField,
  longPrompt,
  keys,
  resume,
  lostSession,
  kill,
  noise,
];
