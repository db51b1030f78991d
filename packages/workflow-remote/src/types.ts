import type { Fault, HistoryReason, Result } from "@uncaged/workflow-protocol";

/** A node as the remote keeps it: `bytes` are those of its file in a store, `refs` what it refers to, its type included. */
export type RemoteNode = {
  readonly hash: string;
  readonly type: string;
  readonly refs: readonly string[];
  readonly bytes: Uint8Array;
};

/** What a thread waits for, as `thread show` has it; `failure`: its last step failed. */
export type RemoteHold = {
  readonly for: string;
  readonly role: string | null;
  readonly question: string | null;
  /** Of a failure; `null` for anything else. */
  readonly code: string | null;
};

export type RemoteThread = {
  readonly thread: string;
  readonly workflow: string;
  readonly head: string;
  readonly steps: number;
  /** Where its agents work; `null`: in a folder of the worker, which is empty unless it has a workspace. */
  readonly cwd: string | null;
  readonly workspace: RemoteWorkspace | null;
  /** `null` while it is active. */
  readonly ended: HistoryReason | null;
  readonly held: RemoteHold | null;
  /** Since when, epoch ms, and why a person wants no further step; `null`: nobody has paused it. */
  readonly paused: { readonly since: number; readonly why: string | null } | null;
  /** The storage root that has it now; `null`: it is free. */
  readonly leasedBy: string | null;
  /** `null`: no thread has started it. */
  readonly place: ParentLink | null;
  /** Epoch ms. */
  readonly changedAt: number;
};

/** A repository that its agents work in: each step begins with what the last one has left there. */
export type RemoteWorkspace = {
  /** An address without a password. */
  readonly git: string;
  /** The branch, tag or whole commit hash that its first step begins with; `null`: the default branch. */
  readonly ref: string | null;
  /** The commit that its last step has left, or that its parent's was at; `null`: it has had no step. */
  readonly commit: string | null;
};

/** As status and log have it; a root that nobody has to find has no host and no folder. */
export type RootNames = {
  readonly root: string;
  readonly host: string | null;
  readonly folder: string | null;
};

/** With who has it now; `null`: it is free. */
export type FoundThread = RemoteThread & { readonly worker: RootNames | null };

/** Which step of which thread has started a thread, as a line of children.jsonl says it. */
export type ParentLink = {
  readonly parent: string;
  readonly head: string;
  readonly role: string;
  readonly item: number | null;
  /** Epoch ms. */
  readonly at: number;
};

/** A thread that is ours, until the lease ends or another root is given it. */
export type Leased = RemoteThread & {
  /** The fencing token: a push with an older one is refused. */
  readonly lease: number;
  /** The lost root that had it before; `null`: nobody, or this one. */
  readonly lost: RootNames | null;
  /** Whether it has started threads. */
  readonly hasChildren: boolean;
};

export type LeaseRequest = {
  readonly root: string;
  /** Threads that this root works on already. */
  readonly inFlight: readonly string[];
  /** Only threads of this workflow, beside those that the root has already; `null`: of any. */
  readonly workflow: string | null;
};

/** The end of one step. */
export type Push = {
  readonly thread: string;
  /** The head that the step began at. */
  readonly expected: string;
  readonly lease: number;
  readonly next: string;
  readonly steps: number;
  readonly ended: string | null;
  /** What the step has left in its workspace; `null`: what was there before. */
  readonly commit: string | null;
  readonly nodes: readonly RemoteNode[];
  /** A line of the log. */
  readonly entry: Readonly<Record<string, unknown>>;
};

/** A step that waits for threads that it has started. */
export type Wait = {
  readonly thread: string;
  readonly lease: number;
  readonly held: RemoteHold;
  /** All that it waits for; those that the remote has stay as they are there. */
  readonly children: readonly Omit<NewChild, "ended">[];
  /** Of the children. */
  readonly nodes: readonly RemoteNode[];
  readonly entry: Readonly<Record<string, unknown>>;
};

export type NewThread = {
  readonly thread: string;
  readonly workflow: string;
  readonly head: string;
  readonly steps: number;
  readonly cwd: string | null;
  readonly workspace: RemoteWorkspace | null;
  readonly ended: string | null;
  readonly nodes: readonly RemoteNode[];
};

/** A thread that another one has started. */
export type NewChild = Omit<NewThread, "nodes"> & { readonly place: ParentLink };

/** Back to the others, unstepped. */
export type Release = {
  readonly thread: string;
  readonly lease: number;
  readonly held: RemoteHold | null;
  /** When to look again, in seconds; `null`: when somebody changes what holds it, or at once if nothing does. */
  readonly againIn: number | null;
  /** Only this root can go on: what the thread waits for is in its storage. */
  readonly keep: boolean;
  /** A line of the log; `null`: nothing has happened. One without `runs`, of what holds it already, is not told again. */
  readonly entry: Readonly<Record<string, unknown>> | null;
};

export type LogLine = {
  readonly thread: string;
  /** Epoch ms. */
  readonly at: number;
  readonly entry: Readonly<Record<string, unknown>>;
};

/** The newest lines; `null` is no condition. */
export type LogQuery = {
  readonly threads: readonly string[] | null;
  /** Epoch ms: nothing older. */
  readonly since: number | null;
  readonly limit: number | null;
};

/** A storage root that works. */
export type RemoteRoot = RootNames & {
  /** Seconds of silence after which it counts as lost. */
  readonly leaseSeconds: number;
  /** Which folder of which boot it is, so that a worker takes over from one that died there; `null`: unknown. */
  readonly place: string | null;
};

export type RemoteStatus = {
  readonly version: number;
  readonly threads: {
    readonly ready: number;
    /** Being stepped. */
    readonly leased: number;
    /** Waiting: for an answer, for other threads, paused, for a repository that is tried again. */
    readonly held: number;
    /** Put aside until a person resumes them. */
    readonly failed: number;
    readonly ended: number;
  };
  readonly nodes: number;
  /** Of the database. */
  readonly bytes: number;
  readonly roots: readonly (RootNames & {
    /** Epoch ms. */
    readonly seenAt: number;
    readonly isLost: boolean;
    readonly threads: number;
  })[];
  /** Steps that came too late: nodes that are kept, for `uwf thread fork`. */
  readonly refused: readonly { readonly thread: string; readonly head: string }[];
};

export type Pushed =
  | { readonly kind: "moved" }
  /** Somebody else has the thread, or it has ended. The nodes are kept, under a name. */
  | { readonly kind: "refused"; readonly head: string | null };

/** The tables of one remote. Every function is one transaction, and most are one statement. */
export type Remote = {
  /** Brings the tables up to date; one transaction. */
  readonly migrate: () => Promise<Result<{ readonly from: number; readonly to: number }, Fault>>;
  /** Fails unless the tables have this program's version. */
  readonly check: () => Promise<Result<void, Fault>>;
  readonly status: () => Promise<Result<RemoteStatus, Fault>>;
  /** With those below it, whose nodes are among its own. `false`: it is there already, and has not changed. */
  readonly add: (thread: NewThread, below?: readonly NewChild[]) => Promise<Result<boolean, Fault>>;
  readonly find: (part: string) => Promise<Result<FoundThread, Fault>>;
  /** `wrong`: why a row could not be read that no uwf has written; each counts for the limit. */
  readonly list: (
    query: ListQuery,
  ) => Promise<Result<{ readonly threads: readonly FoundThread[]; readonly wrong: readonly Fault[] }, Fault>>;
  /**
   * Of the threads that a root has at these heads, and does not lease: those that have ended, and those whose head there nobody
   * has pushed.
   */
  readonly astray: (
    root: string,
    here: readonly { readonly thread: string; readonly head: string }[],
  ) => Promise<Result<readonly RemoteThread[], Fault>>;
  /** Those of them that have not ended. */
  readonly active: (threads: readonly string[]) => Promise<Result<ReadonlySet<string>, Fault>>;
  /** Oldest first. */
  readonly events: (query: LogQuery) => Promise<Result<readonly LogLine[], Fault>>;
  /**
   * `ROOT_NAME_TAKEN` while a worker in another folder has the name of the root and is heard of. Gives the lost one that has
   * had it, whose leases are this one's now; `null`: none.
   */
  readonly announce: (root: RemoteRoot) => Promise<Result<RootNames | null, Fault>>;
  /** Renews the leases of a root; gives those that it still has and can have. `ROOT_NAME_TAKEN`: another worker has its name by now. */
  readonly heartbeat: (root: string) => Promise<Result<ReadonlyMap<string, number>, Fault>>;
  /** Takes the announcement back, unless the root still has threads: they are its own until it counts as lost. */
  readonly leave: (root: string) => Promise<Result<void, Fault>>;
  /**
   * `null`: nothing is ready. `INVALID_INPUT`: no uwf has written the row of the thread that was next; it is put aside, as
   * after a failure, until a person has corrected the row and resumes it.
   */
  readonly leaseNext: (request: LeaseRequest) => Promise<Result<Leased | null, Fault>>;
  /** One thread, also if it is held or paused; `null`: another root has it. */
  readonly leaseThread: (thread: string, root: string) => Promise<Result<Leased | null, Fault>>;
  /** What a head reaches, without what stands at or behind `known`; in no order. */
  readonly fetch: (head: string, known: readonly string[]) => Promise<Result<readonly RemoteNode[], Fault>>;
  readonly push: (push: Push) => Promise<Result<Pushed, Fault>>;
  /** `false`: it was not ours any more. */
  readonly release: (release: Release) => Promise<Result<boolean, Fault>>;
  /** Gives a thread back until its children have ended, which are ready from now on; `false`: it was not ours any more. */
  readonly wait: (wait: Wait) => Promise<Result<boolean, Fault>>;
  /** The threads above one, nearest last, and those below it, each after its parent; without itself. */
  readonly family: (
    thread: string,
  ) => Promise<
    Result<{ readonly above: readonly ParentLink[]; readonly below: readonly RemoteThread[] }, Fault>
  >;
  /** Ends an active thread and those below it; `false`: it has ended. */
  readonly kill: (thread: string) => Promise<Result<boolean, Fault>>;
  /** No further step begins, also of those below it; `false`: it has ended. */
  readonly pause: (thread: string, why: string | null) => Promise<Result<boolean, Fault>>;
  /** Lets a paused thread go on, or one that is held, and paused ones below it; `false`: it was neither. */
  readonly resume: (thread: string) => Promise<Result<boolean, Fault>>;
  /** Lets all threads go on that were put aside as failed, and that nobody has paused; `was`: what for. */
  readonly resumeFailed: () => Promise<
    Result<readonly { readonly thread: string; readonly was: RemoteHold }[], Fault>
  >;
  /** Whether a thread is active that is not held: it is ready, is stepped, or will be ready in a moment. */
  readonly isBusy: (workflow: string | null) => Promise<Result<boolean, Fault>>;
  /**
   * Removes threads that ended so long ago, lost roots without a thread that were silent for so long, and nodes that nothing
   * reaches; one transaction.
   */
  readonly collect: (
    retentionSeconds: number | null,
  ) => Promise<Result<{ readonly threads: number; readonly nodes: number; readonly roots: number }, Fault>>;
  readonly close: () => Promise<void>;
};

export type ListQuery = {
  readonly all: boolean;
  readonly held: boolean;
  readonly workflow: string | null;
  readonly limit: number | null;
};
