import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { givenFolder } from "../folder.js";
import { splitWords } from "../words.js";
import type { RawStepRequest, StepRequest } from "./types.js";

/** Stage 1: the command line as a request; nothing is taken yet. */
export function parse(raw: RawStepRequest, from: string): Result<StepRequest, Fault> {
  const { thread, waitMs, retries } = raw;
  const cwd = givenFolder(from, raw.cwd);
  if (!cwd.ok) return cwd;
  if (raw.agent === null) return ok({ thread, agent: null, cwd: cwd.value, waitMs, retries });
  const words = splitWords(raw.agent);
  if (!words.ok) return words;
  const agent = { text: raw.agent, words: words.value };
  return ok({ thread, agent, cwd: cwd.value, waitMs, retries });
}
