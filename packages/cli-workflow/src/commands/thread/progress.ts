import type { Fault, Result, StepOutput } from "@uncaged/workflow-protocol";
import { readChainNode } from "@uncaged/workflow-store";
import type { StepDeps } from "../../step/index.js";
import { type Elapsed, showElapsed } from "./elapsed.js";

export type Progress = {
  /** For the step itself: what it writes to stderr and the progress do not get in each other's way. */
  readonly deps: StepDeps;
  readonly finish: (output: Result<StepOutput, Fault>) => void;
};

/**
 * Progress of one step on stderr, and one line when it is over. A program that reads stderr gets that last line only,
 * and for a failure nothing: its object follows.
 */
export function watchProgress(deps: StepDeps, thread: string, count: number): Progress {
  const { host } = deps;
  const startedAt = host.now();
  const elapsed = (): number => Math.round((host.now() - startedAt) / 1000);
  const shown = deps.live
    ? showElapsed(host.stderr, () => `step ${count} of ${thread}, ${elapsed()} s`)
    : null;
  const finish = (output: Result<StepOutput, Fault>): void => {
    shown?.stop();
    if (deps.live || output.ok) deps.tell(`${summary(deps, count, output)} (${elapsed()} s)`);
  };
  return { deps: shown === null ? deps : beside(shown, deps), finish };
}

function beside({ sink, clear }: Elapsed, deps: StepDeps): StepDeps {
  const after = (say: (sentence: string) => void) => (sentence: string) => {
    clear();
    say(sentence);
  };
  return { ...deps, host: { ...deps.host, stderr: sink }, warn: after(deps.warn), tell: after(deps.tell) };
}

const ENDED = { end: ", done", failed: ", done: failed", killed: ", killed" } as const;

function summary(deps: StepDeps, count: number, output: Result<StepOutput, Fault>): string {
  if (!output.ok) return `step ${count}: ${output.error.code}`;
  const { head, done } = output.value;
  const node = readChainNode(deps.storage.cas, head);
  const role = node.ok && node.value.kind === "step" ? node.value.payload.role : "start";
  return `step ${count}: ${role} → ${head}${done ? ENDED[output.value.reason] : ""}`;
}
