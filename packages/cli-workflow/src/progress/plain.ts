import type { StepDeps, StepWatch } from "@uncaged/workflow-engine";
import type { Fault, Result, StepOutput } from "@uncaged/workflow-protocol";
import { readChainNode } from "@uncaged/workflow-store";
import type { TextSink } from "../io.js";
import { openRecorder } from "./facts.js";
import { type Progress, UNSAID, type WatchedDeps } from "./types.js";

/** Seconds between two progress lines. */
const LINE_SECONDS = 10;

/**
 * `thread run` where stderr is a file or a pipe: a line now and then, the agent's stderr as it is, and one line when a
 * step is over. A program that reads stderr gets that last line only, and for a failure nothing: its object follows.
 * Where no agent was started and no step recorded (`--until`, a thread that waits or has ended), there is no line.
 */
export function openPlain(deps: WatchedDeps, thread: string): Progress {
  const { host } = deps;
  const recorder = openRecorder(deps.storage);
  let count = 0;
  let startedAt = 0;
  let shown: Elapsed | null = null;
  let role = "";
  const elapsed = (): number => Math.round((host.now() - startedAt) / 1000);
  const line = (): string => `step ${count} of ${thread}${role}, ${elapsed()} s`;
  const begin = (): StepDeps => {
    count += 1;
    startedAt = host.now();
    role = "";
    shown = deps.live ? showElapsed(host.stderr, line) : null;
    const stderr = shown?.sink ?? host.stderr;
    const output = deps.live ? stderr : null;
    const agent: StepWatch["agent"] = (event) => {
      role = event.role === null ? "" : ` (${event.role})`;
      return { output, end: () => {} };
    };
    return {
      ...deps,
      host: { ...host, stderr },
      watch: { ...recorder.watch, agent },
    };
  };
  const end: Progress["end"] = (output) => {
    shown?.stop();
    const recorded = recorder.take();
    const happened = output.ok ? recorded !== null : deps.live && role !== "";
    if (happened) deps.tell(`${summary(deps, count, output)} (${elapsed()} s)`);
    return recorded;
  };
  return { ...UNSAID, begin, end };
}

/** Keeps a progress line from breaking into another writer's line, if both come from this process. */
type Elapsed = {
  /** stderr for everybody else. */
  readonly sink: TextSink;
  readonly stop: () => void;
};

function showElapsed(stderr: TextSink, line: () => string): Elapsed {
  let insideLine = false;
  const write = (text: string): void => {
    if (text === "") return;
    stderr.write(text);
    insideLine = !text.endsWith("\n");
  };
  const timer = setInterval(() => {
    if (!insideLine) stderr.write(`${line()}\n`);
  }, LINE_SECONDS * 1000);
  return { sink: { ...stderr, write }, stop: () => clearInterval(timer) };
}

const ENDED = { end: ", done", failed: ", done: failed", killed: ", killed" } as const;

function summary(deps: StepDeps, count: number, output: Result<StepOutput, Fault>): string {
  if (!output.ok) return `step ${count}: ${output.error.code}`;
  const { head, done } = output.value;
  const node = readChainNode(deps.storage.cas, head);
  const role = node.ok && node.value.kind === "step" ? node.value.payload.role : "start";
  return `step ${count}: ${role} → ${head}${done ? ENDED[output.value.reason] : ""}`;
}
