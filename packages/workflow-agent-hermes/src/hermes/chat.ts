import type { Called, Surroundings } from "@uncaged/workflow-agent-cli";
import type { Fault } from "@uncaged/workflow-agent-kit";
import { callHermes } from "./call.js";
import type { Features } from "./features.js";

/** One argument is limited to 128 KiB on Linux. */
const LONGEST_ARGUMENT = 120_000;

export type ChatRequest = {
  readonly prompt: string;
  /** The user's own words for hermes; they come last, so they win. */
  readonly args: readonly string[];
  /** `null` starts a new session. */
  readonly resume: string | null;
  readonly features: Features;
  /** Each line of stdout. */
  readonly onLine: (line: string) => void;
};

/** One prompt to hermes, without questions back: everything is approved, 90 rounds of tools at most. */
export async function chat(request: ChatRequest, surroundings: Surroundings): Promise<Called> {
  const { prompt, resume, features, onLine } = request;
  const size = Buffer.byteLength(prompt);
  const isLong = size > LONGEST_ARGUMENT;
  if (isLong && !features.queryFile) return { ok: false, fault: tooLong(size) };
  const output = features.stream ? ["--format", "stream-json"] : ["--quiet"];
  const args = [
    "chat",
    ...(resume === null ? [] : ["--resume", resume]),
    ...(isLong ? ["--query-file", "-"] : ["-q", prompt]),
    ...["--yolo", "--max-turns", "90", ...output, ...request.args],
  ];
  const stdin = isLong ? prompt : null;
  return callHermes({ args, stdin, shown: true, timeoutMs: null, onLine }, surroundings);
}

/** Old versions take the prompt as an argument only. */
function tooLong(size: number): Fault {
  const what =
    "the prompt, for a hermes that cannot read it from stdin (no --query-file in `hermes chat --help`),";
  return { code: "TOO_LARGE", what, size, limit: LONGEST_ARGUMENT };
}
