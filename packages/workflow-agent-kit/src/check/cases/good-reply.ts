import { LIMITS } from "@uncaged/workflow-protocol";
import { readReply } from "@uncaged/workflow-store";
import { agentOf, traceOf } from "../trace.js";
import type { Case, Lab, Ran } from "../types.js";
import { failing, fine, wrongWith } from "../verdict.js";

export const goodReply: Case = {
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
    const by = agentOf(lab.storage, payload.detail) ?? payload.agent;
    return fine(`step ${hash} by ${by}; ${traceOf(lab.storage, payload.detail)}`);
  },
};

/** DEBUG and colours make programs talk; the hash must come through. */
const TALKATIVE = { DEBUG: "*", FORCE_COLOR: "1", CLICOLOR_FORCE: "1" };

export const noise: Case = {
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
    "write what is no result to stderr: uwf looks at the last 64 KiB of stdout only",
  );
}

function linesBefore({ stdout }: Ran): string {
  const lines = stdout.split("\n").filter((line) => line.trim() !== "").length - 1;
  return lines === 1 ? "1 line of noise" : `${lines} lines of noise`;
}

/** More than one argument of a command line can hold (128 KiB). */
const LONG_BYTES = 300_000;

export const longPrompt: Case = {
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
