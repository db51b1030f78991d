import {
  lastingFault,
  parse,
  type RawStepRequest,
  type Uwf,
  uwfAt,
  warningsIn,
  withThreadViews,
} from "@uncaged/workflow-engine";
import {
  type ExitCode,
  type Fault,
  ok,
  type Result,
  type RunAllItem,
  type RunAllOutput,
  type ThreadId,
  whoseIs,
} from "@uncaged/workflow-protocol";
import {
  type Family,
  findHeld,
  openThreadList,
  readFamily,
  readHead,
  type Storage,
  workflowOfHead,
} from "@uncaged/workflow-store";
import { type CommandContext, type CommandResult, OWN_UWF } from "../../line/index.js";
import type { Shown } from "../../progress/index.js";
import {
  type Cell,
  counted,
  type Human,
  left,
  lines,
  type Paint,
  paintOn,
  right,
  type Screen,
  shrinking,
  stateCell,
  tableOf,
} from "../../screen/index.js";
import { readShortIds, type WorkflowFilter, workflowFilter } from "../known-names.js";
import { MOST_STEPS } from "./run-to-end.js";

type RunAllRequest = Omit<RawStepRequest, "thread" | "cwd" | "until"> & {
  readonly workflow: string | null;
  readonly jobs: number;
  /** For each thread; `null`: `MOST_STEPS`. */
  readonly maxSteps: number | null;
  /** For all of them. */
  readonly timeoutMs: number | null;
  readonly shown: Shown;
};

/**
 * Steps every active thread until it has ended, waits, or fails; each step is a process of its own. Children come before
 * their parents. A fault of this machine ends it: each further thread would meet it, and a full disk only after its agent has
 * been paid for. Failures that may be the thread's own never do, however many: nothing puts such a thread aside, so the same
 * ones would keep the rest from being stepped at every run of cron. The exit code is 0, that of the machine's fault, or of the
 * first thread that failed.
 */
export async function threadRunAll(
  context: CommandContext,
  storage: Storage,
  request: RunAllRequest,
): CommandResult {
  const { host } = context;
  // Wrong words are one error, not one for each thread.
  const parsed = parse({ ...request, thread: "0000", cwd: null, expect: null, until: null }, host);
  if (!parsed.ok) return parsed;
  const rounds = await findRounds(storage, request.workflow);
  if (!rounds.ok) return rounds;
  const stop = new AbortController();
  const ignore = host.onSignal(() => stop.abort());
  const uwf = uwfAt(OWN_UWF, host.env, stop.signal);
  const end = host.now() + (request.timeoutMs ?? Number.POSITIVE_INFINITY);
  const machine: { fault: Fault | null } = { fault: null };
  const isOver = (): boolean => machine.fault !== null || stop.signal.aborted || host.now() >= end;
  const runner = { ...context, storage, uwf, words: wordsOf(request), request, machine, isOver };
  const looked: RunAllItem[] = [];
  try {
    for (const threads of rounds.value) looked.push(...(await runRound(runner, threads)));
  } finally {
    ignore();
  }
  const failed = looked.find(({ exitCode }) => exitCode !== 0);
  const stepped = looked.filter(({ steps, state }) => steps > 0 || (state !== "held" && state !== "busy"));
  const count = (wanted: RunAllItem["state"]) => looked.filter(({ state }) => state === wanted).length;
  const left = rounds.value.flat().length - looked.length;
  const value: RunAllOutput = { threads: stepped, held: count("held"), busy: count("busy"), left };
  const human: Human = (screen) => runAllTable(screen, storage, value);
  if (machine.fault !== null) {
    if (left > 0) context.tell(`${counted(left, "thread is", "threads are")} left`);
    return ok({ kind: "failure", value, human, fault: machine.fault });
  }
  // A uwf process has no other codes.
  const exitCode = (failed?.exitCode ?? 0) as ExitCode;
  return ok({ kind: "verdict", value, human, exitCode });
}

/** The thread ended as failed. */
const FAILED = 10;

/** Threads that may run side by side: those that have no child in a later round. */
async function findRounds(
  storage: Storage,
  workflow: string | null,
): Promise<Result<readonly (readonly ThreadId[])[], Fault>> {
  const wanted: Result<WorkflowFilter, Fault> =
    workflow === null ? ok(() => true) : await workflowFilter(storage, workflow);
  if (!wanted.ok) return wanted;
  const list = await openThreadList(storage, { all: false });
  if (!list.ok) return list;
  const family = readFamily(storage);
  if (!family.ok) return family;
  const isWanted = (thread: ThreadId): boolean => {
    const head = list.value.state(thread)?.head;
    const hash = head === undefined ? null : workflowOfHead(storage.cas, head);
    // One that cannot be read says so when it is stepped.
    return hash !== null && (!hash.ok || wanted.value(hash.value));
  };
  return ok(roundsOf(family.value, list.value.ids.filter(isWanted)));
}

function roundsOf(family: Family, threads: readonly ThreadId[]): readonly (readonly ThreadId[])[] {
  const heights = new Map(threads.map((thread) => [thread, heightOf(family, thread)]));
  const most = Math.max(-1, ...heights.values());
  return Array.from({ length: most + 1 }, (_, height) =>
    threads.filter((thread) => heights.get(thread) === height),
  );
}

/** How many generations stand below it; a family that a person has edited may lead in circles. */
function heightOf(family: Family, thread: ThreadId, above: readonly ThreadId[] = []): number {
  const line = [...above, thread];
  const below = family.childrenOf(thread).filter(({ child }) => !line.includes(child));
  return 1 + Math.max(-1, ...below.map(({ child }) => heightOf(family, child, line)));
}

type Runner = CommandContext & {
  readonly storage: Storage;
  readonly uwf: Uwf;
  /** Options of each step. */
  readonly words: readonly string[];
  readonly request: RunAllRequest;
  /** What is wrong with it, once a step has met that. */
  readonly machine: { fault: Fault | null };
  /** No further step is to start. */
  readonly isOver: () => boolean;
};

function wordsOf({ agents, waitMs, retries }: RunAllRequest): readonly string[] {
  return [
    ...agents.flatMap((agent) => ["--agent", agent]),
    ...(waitMs === 0 ? [] : [`--wait=${waitMs === Number.POSITIVE_INFINITY ? "" : waitMs / 1000}`]),
    ...(retries === null ? [] : ["--retries", String(retries)]),
  ];
}

/** `jobs` of them at a time. */
async function runRound(runner: Runner, threads: readonly ThreadId[]): Promise<readonly RunAllItem[]> {
  const items: RunAllItem[] = [];
  const left = threads.values();
  const work = async (): Promise<void> => {
    for (const thread of left) {
      if (runner.isOver()) return;
      const item = await runThread(runner, thread);
      items.push(item);
      // A failure is always reported: a cron job keeps stderr and nothing else.
      if (item.exitCode !== 0 || (item.steps > 0 && runner.request.shown !== "quiet"))
        runner.tell(`${thread}: ${counted(item.steps, "step")}, ${item.error?.message ?? item.state}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(runner.request.jobs, threads.length) }, work));
  return items;
}

async function runThread(runner: Runner, thread: ThreadId): Promise<RunAllItem> {
  const most = runner.request.maxSteps ?? MOST_STEPS;
  if (await waits(runner, thread)) return { thread, steps: 0, state: "held", exitCode: 0, error: null };
  for (let steps = 0; ; steps += 1) {
    if (steps >= most || runner.isOver()) return { thread, steps, state: "active", exitCode: 0, error: null };
    const answer = await runner.uwf(["thread", "step", thread, ...runner.words], null);
    const { code, document, fault: why, stderr } = answer;
    // A step that succeeds may have been paid for a second time.
    for (const warning of warningsIn(answer)) runner.warn(`${thread}: ${warning}`);
    if (code === 0 && document?.done !== true) continue;
    const taken = code === 0 || code === FAILED ? steps + 1 : steps;
    const error =
      why === null ? { message: stderr.trim(), hint: null } : { message: why.message, hint: why.hint };
    const item = { thread, steps: taken, exitCode: 0, error: null };
    if (code === 0 || code === 8) return { ...item, state: "ended" };
    if (code === 9) return { ...item, state: "held" };
    if (code === 75) return { ...item, state: "busy" };
    const failure = lastingFault(answer);
    if (failure !== null && whoseIs(failure) === "machine") runner.machine.fault ??= failure;
    return { ...item, state: "failed", exitCode: code, error };
  }
}

/** Whether its next step would start nothing: no process is needed to find that. What cannot be read the step explains. */
async function waits({ storage }: Runner, thread: ThreadId): Promise<boolean> {
  const head = await readHead(storage, thread);
  if (!head.ok || head.value === null) return false;
  const held = await findHeld(storage, { thread, head: head.value });
  return held.ok && held.value !== null;
}

/** The threads that were stepped, with what each is now, and how many were passed over. */
async function runAllTable(
  screen: Screen,
  storage: Storage,
  { threads, held, busy, left: rest }: RunAllOutput,
): Promise<string> {
  const idOf = await readShortIds(storage);
  const paint = paintOn(screen);
  const states = await readStates(storage, threads, paint);
  const passed = [
    held === 0 ? "" : `${counted(held, "thread")} held`,
    busy === 0 ? "" : `${busy} busy`,
    rest === 0 ? "" : `${rest} left`,
  ];
  const over = passed.filter((text) => text !== "").join(", ");
  const nothing = threads.length === 0 && over === "" ? "there is nothing to do" : null;
  return (
    tableOf<RunAllItem>(
      screen,
      [
        [left("THREAD"), ({ thread }) => idOf(thread)],
        [right("STEPS"), ({ steps }) => String(steps)],
        [left("STATE"), ({ thread }) => states.get(thread) ?? "?"],
        [shrinking("WHAT IS WRONG"), ({ error }) => error?.message ?? ""],
      ],
      threads,
    ) + lines(screen, [over === "" ? nothing : { text: over, paint: paint.dim }])
  );
}

/** Those that can be read. */
async function readStates(
  storage: Storage,
  threads: readonly RunAllItem[],
  paint: Paint,
): Promise<ReadonlyMap<ThreadId, Cell>> {
  const states = new Map<ThreadId, Cell>();
  const list = await openThreadList(storage, { all: true });
  if (!list.ok) return states;
  await withThreadViews(storage, async (views) => {
    for (const { thread } of threads) {
      const listed = list.value.state(thread);
      if (listed !== null) states.set(thread, stateCell((await views.of(listed)).state, paint));
    }
  });
  return states;
}
