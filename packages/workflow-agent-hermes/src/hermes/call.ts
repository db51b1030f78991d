import { type Called, callProgram, findProgram, type Surroundings } from "@uncaged/workflow-agent-cli";

const STDOUT_BYTES = 20 * 1024 * 1024;
/** An export holds the whole session with every tool result. */
const EXPORT_BYTES = 128 * 1024 * 1024;

export type Call = {
  readonly args: readonly string[];
  readonly stdin: string | null;
  /** Whether stderr is shown as it comes. */
  readonly shown: boolean;
  /** `null`: as long as it takes, uwf has its own limits. */
  readonly timeoutMs: number | null;
  /** Each line of stdout. */
  readonly onLine: ((line: string) => void) | null;
};

/** Runs `hermes` from PATH. */
export async function callHermes(call: Call, surroundings: Surroundings): Promise<Called> {
  const found = findProgram(["hermes"], surroundings);
  if (!found.ok) return { ok: false, fault: found.error };
  const stdoutBytes = call.shown ? STDOUT_BYTES : EXPORT_BYTES;
  return callProgram({ ...call, command: found.value, stdoutBytes, resultSeen: null }, surroundings);
}
