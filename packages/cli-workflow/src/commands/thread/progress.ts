import type { Fault, Result, StepOutput } from "@uncaged/workflow-protocol";
import { readChainNode } from "@uncaged/workflow-store";
import type { TextSink } from "../../io/index.js";
import type { StepDeps } from "../../step/index.js";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 100;
/** Seconds between two lines where no terminal is watching. */
const LINE_SECONDS = 10;

export type Progress = { readonly finish: (output: Result<StepOutput, Fault>) => void };

/**
 * Progress of one step on stderr: a spinner on a terminal, else a plain line now and then; one line when it is over.
 * A program that reads stderr gets that last line only, and for a failure nothing: its object follows.
 */
export function watchProgress(deps: StepDeps, thread: string, count: number): Progress {
  const { host } = deps;
  const startedAt = host.now();
  const elapsed = (): number => Math.round((host.now() - startedAt) / 1000);
  const stop = deps.live
    ? showElapsed(host.stderr, () => `step ${count} of ${thread}, ${elapsed()} s`)
    : null;
  const finish = (output: Result<StepOutput, Fault>): void => {
    stop?.();
    if (deps.live || output.ok) deps.tell(`${summary(deps, count, output)} (${elapsed()} s)`);
  };
  return { finish };
}

/** Shows the line again and again until the returned function is called. */
function showElapsed(stderr: TextSink, line: () => string): () => void {
  const onTerminal = stderr.isTerminal();
  let tick = 0;
  const timer = setInterval(
    () => {
      tick += 1;
      stderr.write(onTerminal ? `\r${FRAMES[tick % FRAMES.length]} ${line()}` : `${line()}\n`);
    },
    onTerminal ? SPIN_MS : LINE_SECONDS * 1000,
  );
  return () => {
    clearInterval(timer);
    if (onTerminal) stderr.write("\r\u001b[K");
  };
}

function summary(deps: StepDeps, count: number, output: Result<StepOutput, Fault>): string {
  if (!output.ok) return `step ${count}: ${output.error.code}`;
  const { head, done } = output.value;
  const node = readChainNode(deps.storage.cas, head);
  const role = node.ok && node.value.kind === "step" ? node.value.payload.role : "start";
  return `step ${count}: ${role} → ${head}${done ? ", done" : ""}`;
}
