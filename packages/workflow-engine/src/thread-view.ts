import { type Decision, decide, openEvaluationSession } from "@uncaged/workflow-moderator";
import {
  type CasRef,
  type ChildLine,
  type Fault,
  type Held,
  type HeldThread,
  type HistoryReason,
  hintOf,
  isRoutingFault,
  messageOf,
  ok,
  type Result,
  type RoutingFailure,
  type RunFailure,
  type SeenState,
  START,
  type ThreadId,
  type WorkflowPayload,
  wayOn,
} from "@uncaged/workflow-protocol";
import {
  arrivedAt,
  type EndedThread,
  type Family,
  type FullHistory,
  findBlocker,
  findHeld,
  fullHistory,
  type ListedThread,
  type OpenHistory,
  openHistory,
  readFailedHeads,
  readFailedRuns,
  readFamily,
  readStuck,
  readWorkFolder,
  type Storage,
  type ThreadState,
} from "@uncaged/workflow-store";
import { counted, once } from "@uncaged/workflow-util";
import { NO_RUN, type RunAt, runAt } from "./holders.js";
import { decideAtHead, failedAt, targetName } from "./step/index.js";

/** How a thread ended, as its state. */
export const ENDED_AS: Readonly<Record<HistoryReason, SeenState>> = {
  end: "ended",
  failed: "failed",
  killed: "killed",
};

/** What a thread is just now: every screen shows this, and none finds it by itself. What costs more is a function, and read once. */
export type ThreadView = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly state: SeenState;
  /** How it has ended; `null`: it has not, or that cannot be read. */
  readonly ended: EndedThread | null;
  /** `null`: it cannot be read, and `damage` says why. */
  readonly history: OpenHistory | null;
  /** Of its workflow; `null` if it cannot be read. */
  readonly name: string | null;
  readonly task: string | null;
  /**
   * The role that runs, was left behind or waits; else the one that comes next, or how the thread ends. `null`: it has
   * ended, it is damaged, no decision leads on, or it was not decided.
   */
  readonly next: string | null;
  /** Whether it was not decided because the threads before it had taken what one command spends on decisions. */
  readonly isUndecided: boolean;
  /** Why no decision leads on from its head. */
  readonly stuck: RoutingFailure | null;
  /** Why its next step would start nothing; `null`: it would. */
  readonly held: Held | null;
  /** Of its head. */
  readonly run: RunAt;
  /** What cannot be read of it. */
  readonly damage: Fault | null;
  /** So many steps, or one more than `most` (`null`: no bound) where there are more; `null` if they cannot be read. */
  readonly steps: (most: number | null) => number | null;
  /** Runs at its head that gave no step. */
  readonly failures: () => Result<Failures, Fault>;
  readonly kin: () => Result<Kin, Fault>;
  /** Of a thread that waits for others: where that wait ends. */
  readonly blocker: () => HeldThread | null;
  /** In which its agents work; `null`: none yet, or it has ended. */
  readonly workFolder: () => Result<string | null, Fault>;
  /** The command that leads on; `idOf` writes the ids in it. */
  readonly command: (idOf: (thread: ThreadId) => string) => string;
};

type Failures = {
  /** The agent failed. */
  readonly failed: number;
  /** uwf died while it ran, and it left no result. */
  readonly abandoned: number;
  /** The newest one. */
  readonly last: RunFailure | null;
};

/** The thread that has started it, and those that it has started: of one visit of a role together, by item. */
type Kin = { readonly parent: ChildLine | null; readonly children: readonly ChildLine[] };

/** Reads one thread after the other. */
export type ThreadViews = {
  readonly of: (thread: ListedThread) => Promise<ThreadView>;
  /** One of which nothing but its head is known. Fails if what it waits for cannot be read. */
  readonly found: (state: ThreadState) => Promise<Result<ThreadView, Fault>>;
  /** Who has started whom. */
  readonly family: () => Result<Family, Fault>;
  /** How many of them were not decided so far. */
  readonly undecided: () => number;
};

/** What is the same for all threads of a command is read once, and all decisions share one allowance. */
export function withThreadViews<T>(storage: Storage, use: (views: ThreadViews) => Promise<T>): Promise<T> {
  return withListingDecider((decider) => {
    const failedHeads = once(() => {
      const heads = readFailedHeads(storage);
      // The log is not part of the state: a person who may not read it sees no failing runs.
      return heads.ok ? heads.value : new Map<ThreadId, ReadonlySet<string>>();
    });
    const hasFailed: Reader["hasFailed"] = ({ thread, head }) =>
      failedHeads().get(thread)?.has(head) === true;
    const family = once(() => readFamily(storage));
    const reader = { storage, decider, hasFailed, family, warn: () => {} };
    const undecided = new Set<ThreadId>();
    const of: ThreadViews["of"] = async (thread) => {
      const view = await readView(reader, thread);
      if (view.isUndecided) undecided.add(view.thread);
      return view;
    };
    const found: ThreadViews["found"] = async (state) => {
      const listed = await listedThread(storage, state, reader.warn);
      return listed.ok ? ok(await of(listed.value)) : listed;
    };
    return use({ of, found, family, undecided: () => undecided.size });
  });
}

type OneThread = {
  /** Is given what cannot be read beside the thread. */
  readonly warn: (sentence: string) => void;
  /** Of a caller that decides for itself. */
  readonly decider: ListingDecider;
};

/** The same for one thread. */
export async function threadView(
  storage: Storage,
  state: ThreadState,
  { warn = () => {}, decider = decideAlone }: Partial<OneThread> = {},
): Promise<Result<ThreadView, Fault>> {
  const listed = await listedThread(storage, state, warn);
  if (!listed.ok) return listed;
  const family = once(() => readFamily(storage));
  const reader = { storage, decider, hasFailed: hasFailedByDays, family, warn };
  return ok(await readView(reader, listed.value));
}

/** An interruption is no failure. */
const hasFailedByDays: Reader["hasFailed"] = (_, failures) => {
  const runs = failures();
  return runs.ok && runs.value.last !== null && runs.value.last.code !== "INTERRUPTED";
};

/** A thread of which only its head is known, as a list has it. Fails if what it waits for cannot be read. */
export async function listedThread(
  storage: Storage,
  state: ThreadState,
  warn: (sentence: string) => void = () => {},
): Promise<Result<ListedThread, Fault>> {
  if (state.kind === "ended") return ok(state);
  const held = await findHeld(storage, state);
  if (!held.ok) return held;
  const stuck = readStuck(storage, state);
  // It is found again.
  if (!stuck.ok) warn(`whether the thread is stuck was not noted: ${messageOf(stuck.error)}`);
  return ok({ ...state, held: held.value, stuck: stuck.ok ? stuck.value : null });
}

type At = { readonly thread: ThreadId; readonly head: CasRef };

type Reader = {
  readonly storage: Storage;
  readonly decider: ListingDecider;
  /** Whether the newest run at its head failed. */
  readonly hasFailed: (at: At, failures: ThreadView["failures"]) => boolean;
  readonly family: () => Result<Family, Fault>;
  readonly warn: (sentence: string) => void;
};

async function readView(reader: Reader, listed: ListedThread): Promise<ThreadView> {
  const { storage } = reader;
  const { thread, head } = listed;
  const history = openHistory(storage.cas, head);
  const open = history.ok ? history.value : null;
  const run = readRun(reader, listed);
  const onward = await readOnward(reader, listed, { history, run });
  const facts = {
    ...{ thread, head, ...onward, run },
    ended: listed.kind === "ended" ? listed : null,
    held: listed.kind === "active" ? listed.held : null,
  };
  const failures = once(() => readFailures(storage, listed));
  const state = deriveState(facts, () => reader.hasFailed(listed, failures));
  const blocker = once(() => (facts.held?.for === "threads" ? findBlocker(storage, listed) : null));
  return {
    ...facts,
    ...{ state, history: open, failures, blocker },
    name: open?.workflow.payload.name ?? null,
    task: open?.start.payload.prompt ?? null,
    steps: (most) => countSteps(open, most),
    kin: once(() => readKin(reader, thread)),
    workFolder: once(() => (facts.ended === null ? readWorkFolder(storage, thread) : ok(null))),
    command: (idOf) => commandFor({ ...facts, state, blocker }, idOf),
  };
}

type Facts = Pick<ThreadView, "ended" | "held" | "run" | "stuck" | "damage">;

/** The only place that derives the state of a thread. The first that applies is the state. */
function deriveState({ ended, held, run, stuck, damage }: Facts, hasFailed: () => boolean): SeenState {
  if (damage !== null) return "damaged";
  if (ended !== null) return ENDED_AS[ended.reason];
  if (run.leftRun !== null || run.running?.uwf === "dead") return "abandoned";
  if (run.running !== null) return "running";
  if (held !== null) return "held";
  return stuck !== null || hasFailed() ? "failing" : "active";
}

function readRun({ storage, warn }: Reader, listed: ListedThread): RunAt {
  const run = listed.kind === "active" ? runAt(storage, listed) : ok(NO_RUN);
  if (run.ok) return run.value;
  warn(`whether a run is under way is not known: ${messageOf(run.error)}`);
  return NO_RUN;
}

type Onward = Pick<ThreadView, "next" | "stuck" | "damage" | "isUndecided">;

const NOTHING_NEXT: Onward = { next: null, stuck: null, damage: null, isUndecided: false };

type Read = { readonly history: Result<OpenHistory, Fault>; readonly run: RunAt };

async function readOnward(reader: Reader, listed: ListedThread, { history, run }: Read): Promise<Onward> {
  const noted = listed.kind === "active" ? { ...NOTHING_NEXT, stuck: listed.stuck } : NOTHING_NEXT;
  if (listed.kind === "damaged") return { ...noted, damage: listed.damage };
  if (!history.ok) return { ...noted, damage: history.error };
  if (listed.kind === "ended") return NOTHING_NEXT;
  const role = run.running?.role ?? run.leftRun?.role ?? listed.held?.role ?? null;
  // It is known: nothing has to be decided.
  if (role !== null) return { ...NOTHING_NEXT, next: role };
  // A step has found it at this head: the history need not be read.
  return listed.stuck === null ? decideOnward(reader, listed, history.value) : noted;
}

async function decideOnward({ storage, decider }: Reader, at: At, chain: OpenHistory): Promise<Onward> {
  const history = fullHistory(storage, at.thread, chain, "read");
  const decision = await decider({ storage, chain, history });
  if (decision === null) return { ...NOTHING_NEXT, isUndecided: true };
  if (decision.ok) return { ...NOTHING_NEXT, next: targetName(decision.value) };
  const failure = failedAt(chain.head, decision.error);
  if (!isRoutingFault(failure)) return { ...NOTHING_NEXT, damage: failure };
  const stuck = {
    outcome: "routing",
    code: failure.code,
    message: messageOf(failure),
    hint: hintOf(failure),
    role: chain.newest?.payload.role ?? START,
    // The same answer was true when the thread arrived at this head.
    timestamp: arrivedAt(storage, at),
  } as const;
  return { ...NOTHING_NEXT, stuck };
}

function readFailures(storage: Storage, { thread, head }: At): Result<Failures, Fault> {
  const arrived = arrivedAt(storage, { thread, head });
  // The clock went back: everything since then has an earlier time.
  const runs = readFailedRuns(storage, { thread, since: arrived > storage.now() ? 0 : arrived });
  if (!runs.ok) return runs;
  const here = runs.value.filter((run) => run.head === head);
  const count = (outcome: RunFailure["outcome"]) =>
    here.filter(({ failure }) => failure.outcome === outcome).length;
  return ok({ failed: count("failed"), abandoned: count("abandoned"), last: here.at(-1)?.failure ?? null });
}

function countSteps(history: OpenHistory | null, most: number | null): number | null {
  const steps = history?.last(most === null ? null : most + 1);
  return steps?.ok ? steps.value.length : null;
}

function readKin({ family }: Reader, thread: ThreadId): Result<Kin, Fault> {
  const known = family();
  if (!known.ok) return known;
  const { parentOf, childrenOf } = known.value;
  return ok({ parent: parentOf(thread), children: byVisit(childrenOf(thread)) });
}

/** Several at a time start in any order. */
function byVisit(lines: readonly ChildLine[]): readonly ChildLine[] {
  const visits = new Map<string, ChildLine[]>();
  for (const line of lines) {
    const visit = `${line.head}/${line.role}`;
    const others = visits.get(visit);
    if (others === undefined) visits.set(visit, [line]);
    else others.push(line);
  }
  return [...visits.values()].flatMap((each) =>
    each.sort((one, other) => (one.item ?? 0) - (other.item ?? 0)),
  );
}

type Led = Pick<ThreadView, "thread" | "state" | "held" | "run" | "blocker">;

function commandFor({ thread, state, held, run, blocker }: Led, idOf: (id: ThreadId) => string): string {
  const id = idOf(thread);
  const goesOn = `uwf thread run ${id}`;
  const own = held === null ? null : { thread, held };
  const isPaused = held?.for === "resume";
  switch (state) {
    case "active":
      return goesOn;
    case "failing":
      return `uwf log --thread ${id}`;
    case "held": {
      const at = blocker() ?? own;
      return at === null ? goesOn : (wayOn(at, idOf) ?? `uwf thread run ${idOf(at.thread)}`);
    }
    case "abandoned":
      if (isPaused) return `uwf thread resume ${id}`;
      return run.running === null ? goesOn : `${goesOn} --wait`;
    case "running":
      return isPaused ? `uwf thread resume ${id}` : `uwf log --follow --thread ${id}`;
    default:
      return `uwf thread read ${id}`;
  }
}

// Some commands decide for every thread that they show. Each evaluation has its own limits, but an imported file may bring
// thousands of threads whose conditions go up to them. So all decisions of one command share an allowance. What they cost
// is counted, not timed: the same threads are decided on every machine.

/** In steps of evaluation, which take about 0.7 µs each. docs/decisions.md compares it with usual conditions. */
const ALLOWANCE = 20_000_000;

/** Reading a step of the history, for conditions that may read all of it. */
const COST_OF_STEP = 10;

/** What `decide` says at a head; `null`: the threads before it have used up the allowance. */
type ListingDecider = (asked: Asked) => Promise<Result<Decision, Fault> | null>;

type Asked = { readonly storage: Storage; readonly chain: OpenHistory; readonly history: FullHistory };

/** For one thread: nothing but the limits of each evaluation. */
const decideAlone: ListingDecider = (asked) =>
  decideAtHead(asked, (seen) => decide(asked.chain.workflow.payload, seen));

class AllowanceSpent extends Error {}

/** For many threads. Where no condition is asked, the decision costs nothing, and is always made. */
async function withListingDecider<T>(use: (decider: ListingDecider) => Promise<T>): Promise<T> {
  const session = openEvaluationSession();
  let read = 0;
  const isSpent = (): boolean => session.cost() + read > ALLOWANCE;
  const observe: typeof session.observe = async (expression, context) => {
    if (isSpent()) throw new AllowanceSpent();
    return session.observe(expression, context);
  };
  const decider: ListingDecider = async (asked) => {
    const { workflow, newest } = asked.chain;
    const asksConditions = hasConditions(workflow.payload, newest?.payload.role ?? START);
    // Before the history is read.
    if (asksConditions && isSpent()) return null;
    try {
      return await decideAtHead(asked, (seen) => {
        if (asksConditions) read += seen.steps.length * COST_OF_STEP;
        return decide(workflow.payload, seen, observe);
      });
    } catch (error) {
      if (error instanceof AllowanceSpent) return null;
      throw error;
    }
  };
  try {
    return await use(decider);
  } finally {
    await session.close();
  }
}

/** Whether a transition after this role has one. */
function hasConditions({ graph }: WorkflowPayload, key: string): boolean {
  return Object.hasOwn(graph, key) && graph[key]?.some(({ condition }) => condition !== null) === true;
}

/** What a command says of the threads that it did not decide; `null`: there is none. */
export function undecidedWords(count: number): string | null {
  if (count === 0) return null;
  return `the next role of ${counted(count, "thread")} was not decided: the conditions took what one command spends on all of them; \`uwf thread next <thread>\` decides for one`;
}
