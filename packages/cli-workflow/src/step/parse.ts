import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { givenFolder } from "../folder.js";
import type { Host } from "../io.js";
import { splitWords } from "../words.js";
import { checkTimes } from "./agent-environment.js";
import type { RawStepRequest, StepRequest } from "./types.js";

/** Stage 1: the command line as a request; no lock yet. */
export function parse(raw: RawStepRequest, host: Pick<Host, "cwd" | "env">): Result<StepRequest, Fault> {
  const { thread, waitMs, retries } = raw;
  const times = checkTimes(host.env);
  if (!times.ok) return times;
  const cwd = givenFolder(host.cwd, raw.cwd);
  if (!cwd.ok) return cwd;
  if (raw.agent === null) return ok({ thread, agent: null, cwd: cwd.value, waitMs, retries });
  const words = splitWords(raw.agent);
  if (!words.ok) return words;
  const agent = { text: raw.agent, words: words.value };
  return ok({ thread, agent, cwd: cwd.value, waitMs, retries });
}
