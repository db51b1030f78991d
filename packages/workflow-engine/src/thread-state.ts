import {
  type CasRef,
  type Fault,
  type Held,
  type HistoryReason,
  hintOf,
  isRoutingFault,
  messageOf,
  ok,
  type Result,
  type RoutingFailure,
  type SeenState,
  START,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  arrivedAt,
  findHeld,
  fullHistory,
  type ListedThread,
  type OpenHistory,
  openHistory,
  readFailedHeads,
  readStuck,
  type Storage,
  type ThreadState,
} from "@uncaged/workflow-store";
import { type RunAt, runAt } from "./holders.js";
import { decideAlone, type ListingDecider, withListingDecider } from "./listing-decider.js";
import { failedAt, targetName } from "./step/index.js";

/** How a thread ended, as its state. */
export const ENDED_AS = { end: "ended", failed: "failed", killed: "killed" } as const;

type StateFacts = {
  /** `null`: it is active. */
  readonly ended: HistoryReason | null;
  readonly run: RunAt;
  readonly held: Held | null;
  /** No decision leads on from its head. */
  readonly isStuck: boolean;
  /** The newest run at its head failed; one that a person has interrupted did not. */
  readonly hasFailed: boolean;
};

/** The only place that derives the state of a thread that can be read. The first that applies is the state. */
export function deriveState({ ended, run, held, isStuck, hasFailed }: StateFacts): SeenState {
  if (ended !== null) return ENDED_AS[ended];
  if (run.leftRun !== null || run.running?.uwf === "dead") return "abandoned";
  if (run.running !== null) return "running";
  if (held !== null) return "held";
  return isStuck || hasFailed ? "failing" : "active";
}

/** What comes next in a thread, decided from its history without running anything. */
export type Onward = {
  /** The role that comes next, or how the thread ends; `null`: no decision leads on, or its history is damaged. */
  readonly next: string | null;
  readonly stuck: RoutingFailure | null;
  readonly damage: Fault | null;
  /** Whether it was left out because the threads before it had taken what one command spends on decisions. */
  readonly isUndecided: boolean;
};

/** Decides at the head of an active thread. */
export async function decideOnward(
  storage: Storage,
  state: At,
  chain: OpenHistory,
  decider: ListingDecider = decideAlone,
): Promise<Onward> {
  const history = fullHistory(storage, state.thread, chain, "read");
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
    timestamp: arrivedAt(storage, state),
  } as const;
  return { ...NOTHING_NEXT, stuck };
}

type At = { readonly thread: ThreadId; readonly head: CasRef };

/** How a thread stands: its state, and what led to it. */
export type Standing = Onward & {
  readonly state: SeenState;
  readonly held: Held | null;
  /** The role whose run is under way or was left behind, or that is waited for. */
  readonly role: string | null;
};

/** Reads how one thread after the other stands. */
export type Standings = {
  readonly of: (state: ListedThread) => Promise<Standing>;
  /** How many of them were not decided so far. */
  readonly undecided: () => number;
};

/** What is the same for all threads of a command is read once, and all decisions share one allowance. */
export function withStandings<T>(storage: Storage, use: (standings: Standings) => Promise<T>): Promise<T> {
  return withListingDecider((decider) => {
    const read = standingReader(storage, decider);
    const undecided = new Set<ThreadId>();
    const of: Standings["of"] = async (state) => {
      const standing = await read(state);
      if (standing.isUndecided) undecided.add(state.thread);
      return standing;
    };
    return use({ of, undecided: () => undecided.size });
  });
}

function standingReader(storage: Storage, decider: ListingDecider): Standings["of"] {
  let failedHeads: ReadonlyMap<ThreadId, string> | null = null;
  const hasFailed = ({ thread, head }: At): boolean => {
    failedHeads ??= orNone(readFailedHeads(storage));
    return failedHeads.get(thread) === head;
  };
  return async (thread) => {
    if (thread.kind === "damaged") return damaged(thread.damage);
    if (thread.kind === "ended")
      return { ...NOTHING_NEXT, state: ENDED_AS[thread.reason], held: null, role: null };
    const { held } = thread;
    const run = orNoRun(runAt(storage, thread));
    const role = run.running?.role ?? run.leftRun?.role ?? held?.role ?? null;
    const facts = { ended: null, run, held, isStuck: false, hasFailed: false };
    // The role is known: nothing has to be decided.
    if (role !== null) return { ...NOTHING_NEXT, state: deriveState(facts), held, role };
    const onward = await onwardOf(storage, thread, decider);
    if (onward.damage !== null) return damaged(onward.damage);
    const isStuck = onward.stuck !== null;
    return { ...onward, state: deriveState({ ...facts, isStuck, hasFailed: hasFailed(thread) }), held, role };
  };
}

/** The same for one thread, of which nothing but its head is known. */
export async function readStanding(
  storage: Storage,
  state: ThreadState,
  read: Standings["of"] = standingReader(storage, decideAlone),
): Promise<Result<Standing, Fault>> {
  if (state.kind === "ended") return ok(await read(state));
  const held = await findHeld(storage, state);
  return held.ok ? ok(await read({ ...state, stuck: noted(storage, state), held: held.value })) : held;
}

/** What a step has noted; a note that cannot be read is made again. */
function noted(storage: Storage, state: At): RoutingFailure | null {
  const stuck = readStuck(storage, state);
  return stuck.ok ? stuck.value : null;
}

export const NOTHING_NEXT: Onward = { next: null, stuck: null, damage: null, isUndecided: false };

function damaged(damage: Fault): Standing {
  return { ...NOTHING_NEXT, damage, state: "damaged", held: null, role: null };
}

async function onwardOf(
  storage: Storage,
  { thread, head, stuck }: Extract<ListedThread, { readonly kind: "active" }>,
  decider: ListingDecider,
): Promise<Onward> {
  // A step has found it at this head: the history need not be read.
  if (stuck !== null) return { ...NOTHING_NEXT, stuck };
  const chain = openHistory(storage.cas, head);
  if (!chain.ok) return damaged(chain.error);
  return decideOnward(storage, { thread, head }, chain.value, decider);
}

/** The log is not part of the state: a person who may not read it sees no failing runs. */
function orNone(heads: Result<ReadonlyMap<ThreadId, string>, Fault>): ReadonlyMap<ThreadId, string> {
  return heads.ok ? heads.value : new Map();
}

function orNoRun(run: Result<RunAt, Fault>): RunAt {
  return run.ok ? run.value : { running: null, leftRun: null };
}
