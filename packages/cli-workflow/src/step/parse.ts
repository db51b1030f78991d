import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { split } from "shlex";
import type { StepRequest } from "./types.js";

type RawRequest = { readonly thread: string; readonly agent: string | null; readonly waitMs: number };

/** Stage 1: the command line as a request. `--agent` is split into words as a shell would, and never run by one. */
export function parse(raw: RawRequest): Result<StepRequest, Fault> {
  if (raw.agent === null) return ok({ thread: raw.thread, agent: null, waitMs: raw.waitMs });
  const words = splitWords(raw.agent);
  if (!words.ok) return words;
  return ok({ thread: raw.thread, agent: { text: raw.agent, words: words.value }, waitMs: raw.waitMs });
}

function splitWords(text: string): Result<readonly [string, ...string[]], Fault> {
  try {
    const [program, ...args] = split(text);
    if (program === undefined || program === "") return refuse(text, "it is empty");
    return ok([program, ...args]);
  } catch (error) {
    return refuse(text, (error as Error).message);
  }
}

function refuse(text: string, reason: string): Result<never, Fault> {
  return err(fault("MALFORMED_AGENT_COMMAND", { text, reason }));
}
