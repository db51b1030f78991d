import { type Called, callHermes } from "./call.js";
import type { Surroundings } from "./types.js";

/** One argument is limited to 128 KiB on Linux. */
const LONGEST_ARGUMENT = 120_000;

const PROBE_TIMEOUT_MS = 60_000;

export type ChatRequest = {
  readonly prompt: string;
  /** The user's own words for hermes; they come last, so they win. */
  readonly args: readonly string[];
  /** `null` starts a new session. */
  readonly resume: string | null;
};

/** One prompt to hermes, without questions back: everything is approved, 90 rounds of tools at most. */
export async function chat(request: ChatRequest, surroundings: Surroundings): Promise<Called> {
  const options = ["--yolo", "--max-turns", "90", "--quiet", ...request.args];
  const resume = request.resume === null ? [] : ["--resume", request.resume];
  const size = Buffer.byteLength(request.prompt);
  if (size <= LONGEST_ARGUMENT) {
    const args = ["chat", ...resume, "-q", request.prompt, ...options];
    return callHermes({ args, stdin: null, shown: true, timeoutMs: null }, surroundings);
  }
  const refusal = await refuseStdin(size, surroundings);
  if (refusal !== null) return refusal;
  const args = ["chat", ...resume, "--query-file", "-", ...options];
  return callHermes({ args, stdin: request.prompt, shown: true, timeoutMs: null }, surroundings);
}

/** Old versions take the prompt as an argument only. */
async function refuseStdin(size: number, surroundings: Surroundings): Promise<Called | null> {
  const call = { args: ["chat", "--help"], stdin: null, shown: false, timeoutMs: PROBE_TIMEOUT_MS };
  const help = await callHermes(call, surroundings);
  if (!help.ok || help.run.stdout.includes("--query-file")) return help.ok ? null : help;
  const what =
    "the prompt, for a hermes that cannot read it from stdin (no --query-file in `hermes chat --help`),";
  return { ok: false, fault: { code: "TOO_LARGE", what, size, limit: LONGEST_ARGUMENT } };
}
