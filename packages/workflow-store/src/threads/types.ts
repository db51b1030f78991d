import type {
  CasRef,
  Fault,
  Held,
  HistoryReason,
  RoutingFailure,
  ThreadId,
} from "@uncaged/workflow-protocol";

type ActiveThread = { readonly kind: "active"; readonly thread: ThreadId; readonly head: CasRef };

export type EndedThread = {
  readonly kind: "ended";
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly workflow: CasRef;
  readonly reason: HistoryReason;
  /** Epoch ms. */
  readonly completedAt: number;
  /** Decided (by a kill, or an archive that a crash cut short) but not yet in the history. */
  readonly pending: boolean;
};

export type ThreadState = ActiveThread | EndedThread;

/** In a long list: a thread of which it is unknown whether it has ended. */
type DamagedThread = {
  readonly kind: "damaged";
  readonly thread: ThreadId;
  /** As threads.yaml has it. */
  readonly head: CasRef;
  readonly damage: Fault;
};

/** In a long list: an active thread, why its routing failed, and what it waits for, if known. */
export type StandingThread = ActiveThread & {
  readonly stuck: RoutingFailure | null;
  readonly held: Held | null;
};

export type ListedThread = StandingThread | EndedThread | DamagedThread;

/** Many threads, of which perhaps a few are looked at. */
export type ThreadList = {
  /** Ascending, and so by the time at which they were started. */
  readonly ids: readonly ThreadId[];
  /** Where one of them stands; `null` when it is not in the list after all: it has ended, and only active ones are. */
  readonly state: (thread: ThreadId) => ListedThread | null;
  /** Whether the history has one of them. */
  readonly ended: (thread: ThreadId) => boolean;
  /** The active and the ended ones, whichever of them are in the list. */
  readonly everyId: () => Iterable<ThreadId>;
};
