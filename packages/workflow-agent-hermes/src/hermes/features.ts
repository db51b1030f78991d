import type { Surroundings } from "@uncaged/workflow-agent-cli";
import type { Fault } from "@uncaged/workflow-agent-kit";
import { callHermes } from "./call.js";

const PROBE_TIMEOUT_MS = 60_000;

/** What the installed hermes can do. */
export type Features = {
  /** `--format stream-json`: one JSON object a line, and a last one that says how it ended. */
  readonly stream: boolean;
  /** `--query-file -`: the prompt by stdin. */
  readonly queryFile: boolean;
};

export type Probed =
  | { readonly ok: true; readonly features: Features }
  | { readonly ok: false; readonly fault: Fault };

/** An old hermes ends at a word that it does not know, so it is asked first. */
export async function probe(surroundings: Surroundings): Promise<Probed> {
  const args = ["chat", "--help"];
  const call = { args, stdin: null, shown: true, timeoutMs: PROBE_TIMEOUT_MS, onLine: null };
  const help = await callHermes(call, surroundings);
  if (!help.ok) return help;
  const { stdout } = help.run;
  const stream = /--format\b/.test(stdout) && stdout.includes("stream-json");
  return { ok: true, features: { stream, queryFile: stdout.includes("--query-file") } };
}
