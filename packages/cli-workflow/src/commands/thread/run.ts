import { exitCodeOf, type Fault, fault, ok, type Result, type StepOutput } from "@uncaged/workflow-protocol";
import { findThread, findThreadToChange, readChainNode, workflowOfHead } from "@uncaged/workflow-store";
import { asThreadId } from "@uncaged/workflow-util";
import type { TextSink } from "../../io.js";
import {
  parse,
  type RawStepRequest,
  type StepDeps,
  type StepRequest,
  step,
  threadFailure,
} from "../../step/index.js";
import { documentWith } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 100;
/** Seconds between two progress lines without a terminal. */
const LINE_SECONDS = 10;

/** A progress line that is redrawn, and what else is written to stderr: neither may break into the other's lines. */
type Elapsed = {
  /** stderr for everybody else. */
  readonly sink: TextSink;
  /** Takes the line away, before something else is said. */
  readonly clear: () => void;
  readonly stop: () => void;
};

/** A spinner on a terminal, else a plain line now and then. */
function showElapsed(stderr: TextSink, line: () => string): Elapsed {
  const onTerminal = stderr.isTerminal();
  let tick = 0;
  let isShown = false;
  let insideLine = false;
  const clear = (): void => {
    if (isShown) stderr.write("\r\u001b[K");
    isShown = false;
  };
  const show = (): void => {
    tick += 1;
    if (insideLine) return;
    stderr.write(onTerminal ? `\r${FRAMES[tick % FRAMES.length]} ${line()}` : `${line()}\n`);
    isShown = onTerminal;
  };
  const write = (text: string): void => {
    if (text === "") return;
    clear();
    stderr.write(text);
    insideLine = !text.endsWith("\n");
  };
  const timer = setInterval(show, onTerminal ? SPIN_MS : LINE_SECONDS * 1000);
  const stop = (): void => {
    clearInterval(timer);
    clear();
  };
  return { sink: { ...stderr, write }, clear, stop };
}

type Progress = {
  /** For the step itself: keeps its stderr and the progress line apart. */
  readonly deps: StepDeps;
  readonly finish: (output: Result<StepOutput, Fault>) => void;
};

/**
 * Progress of one step on stderr, and one line when it is over. A program that reads stderr gets that last line only,
 * and for a failure nothing: its object follows.
 */
function watchProgress(deps: StepDeps, thread: string, count: number): Progress {
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

type RunRequest = RawStepRequest & { readonly maxSteps: number | null };

/**
 * Steps until the thread has ended or `maxSteps` is reached; prints the last state. Exit code 9 if the thread has
 * not ended.
 */
export async function threadRun(context: CommandContext, raw: RunRequest): CommandResult {
  const request = parse(raw, context.host);
  if (!request.ok) return request;
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const deps = { ...context, storage: storage.value };
  const thread = await completeId(deps, raw.thread);
  if (!thread.ok) return thread;
  const last = await stepUntil(
    deps,
    { ...request.value, thread: thread.value },
    raw.maxSteps ?? Number.POSITIVE_INFINITY,
  );
  if (!last.ok) return last;
  const { output, steps, held } = last.value;
  const unfinished = output.done ? null : fault("RUN_UNFINISHED", { thread: output.thread, steps });
  return documentWith(output, held ?? unfinished ?? threadFailure(output));
}

/** Found once: a thread that is started in the meantime must not become \`latest\`, nor make a part of an id ambiguous. */
async function completeId({ storage, host }: StepDeps, text: string): Promise<Result<string, Fault>> {
  if (asThreadId(text) !== null) return ok(text);
  const found = await findThreadToChange(storage, text, host.cwd);
  return found.ok ? ok(found.value.thread) : found;
}

/** `held`: why no further step was taken, if the thread waits. */
type Last = { readonly output: StepOutput; readonly steps: number; readonly held: Fault | null };

async function stepUntil(
  deps: StepDeps,
  request: StepRequest,
  maxSteps: number,
): Promise<Result<Last, Fault>> {
  for (let steps = 1; ; steps += 1) {
    const progress = watchProgress(deps, request.thread, steps);
    const output = await step(progress.deps, request);
    progress.finish(output);
    if (!output.ok) return isHeld(output.error) ? whereHeld(deps, request, steps - 1, output.error) : output;
    if (output.value.done || steps >= maxSteps) return ok({ output: output.value, steps, held: null });
  }
}

function isHeld(failure: Fault): boolean {
  return exitCodeOf(failure) === 9;
}

async function whereHeld(
  { storage }: StepDeps,
  request: StepRequest,
  steps: number,
  held: Fault,
): Promise<Result<Last, Fault>> {
  const state = await findThread(storage, request.thread);
  if (!state.ok) return state;
  const { thread, head } = state.value;
  const workflow = workflowOfHead(storage.cas, head);
  if (!workflow.ok) return workflow;
  return ok({ output: { workflow: workflow.value, thread, head, done: false }, steps, held });
}
