import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { splitWords } from "../words.js";
import type { RawStepRequest, StepRequest } from "./types.js";

/** Stage 1: the command line as a request; nothing is read or taken yet. */
export function parse(raw: RawStepRequest): Result<StepRequest, Fault> {
  const { thread, cwd, waitMs, retries } = raw;
  if (raw.agent === null) return ok({ thread, agent: null, cwd, waitMs, retries });
  const words = splitWords(raw.agent);
  if (!words.ok) return words;
  return ok({ thread, agent: { text: raw.agent, words: words.value }, cwd, waitMs, retries });
}
