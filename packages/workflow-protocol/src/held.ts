import type { CasRef, ThreadId } from "./ids.js";
import { type ReachedLimit, raiseCommand } from "./spending.js";

// A thread is held when its next step would start nothing: exit 9, nothing failed, nothing was paid for.

/** What an agent, or a person, makes a thread wait for. */
export type WaitsFor = "answer" | "threads" | "change";

/** A thread that another one waits for, where it stood then. */
export type AwaitedThread = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  /** It was held itself: then it also counts as changed when it no longer is. */
  readonly held: boolean;
};

/** `runs/<thread>/<token>/waiting.json`: an agent that exits with 9 says what it waits for. */
export type WaitingRecord = {
  readonly for: WaitsFor;
  readonly question: string | null;
  readonly threads: readonly AwaitedThread[];
  /** Epoch ms at which the agent is to run again in any case; `null`: never for that reason. */
  readonly until: number | null;
};

/** `runs/<thread>/hold.json`: counts while its head is the thread's. */
export type HoldRecord = (WaitingRecord | LimitRecord) & {
  readonly head: CasRef;
  readonly role: string;
  /** The command that waits; `null`: a person plays the role. */
  readonly agent: string | null;
  /** Epoch ms at which the thread came to its head: no crash makes a time limit start afresh. */
  readonly since: number;
  /** `configStamp` then: with another one another agent may play the role. */
  readonly config: string;
  /** Whether `notify` has been called, or none is configured. */
  readonly told: boolean;
  /** Epoch ms at which the wait began, for people. */
  readonly at: number;
};

/** A thread that has spent what it may. */
export type LimitRecord = Omit<WaitingRecord, "for"> & {
  readonly for: "limit";
  readonly limit: ReachedLimit & {
    /** Of the file with that thread's limits: with another one they are asked again. */
    readonly stamp: string;
  };
};

/** `runs/<thread>/pause.json`. */
export type PauseRecord = {
  /** Epoch ms. */
  readonly since: number;
  readonly why: string | null;
  /**
   * Not paused by a person: a remote has the thread, and only the holder of its lease there steps it here.
   */
  readonly remote: boolean;
};

/** `held` in documents. */
export type Held = {
  readonly for: WaitsFor | "limit" | "resume" | "remote";
  /** Whose step is waited for; `null` while paused, or at a remote. */
  readonly role: string | null;
  /** What is asked; of a pause, why; of a limit, which. */
  readonly question: string | null;
  readonly threads: readonly ThreadId[];
  /** Epoch ms at which the thread came to its head, or was paused: time limits count from there. */
  readonly since: number;
  /** Epoch ms; `null`: no limit. */
  readonly until: number | null;
  /** Which limit is reached, and whose: the thread's own, or that of one above it. `null`: it waits for something else. */
  readonly limit: ReachedLimit | null;
  /** Epoch ms at which the wait began. */
  readonly waitingSince: number;
};

/** A thread and what it waits for. */
export type HeldThread = { readonly thread: ThreadId; readonly held: Held };

/** What a thread waits for, in words that follow its id; `idOf` writes the ids of others. */
export function waitWords(
  { for: what, role, threads, limit }: Held,
  thread: ThreadId,
  idOf: (thread: ThreadId) => string,
): string {
  const as = role === null ? "" : ` as ${role}`;
  switch (what) {
    case "answer":
      return `waits for an answer${as}`;
    case "threads": {
      const [first, another] = threads;
      const which = first === undefined || another !== undefined ? `${threads.length} threads` : idOf(first);
      return `waits for ${which}${as}`;
    }
    case "change":
      return `waits for a change${as}`;
    case "resume":
      return "is paused";
    case "remote":
      return "goes on at the remote";
    case "limit":
      return limit === null || limit.of === thread
        ? "is at its limit"
        : `is at the limit of ${idOf(limit.of)}`;
  }
}

/** The command that lets it go on, with ids as `idOf` writes them; `null`: none does, it waits for threads. */
export function wayOn(
  { thread: id, held: { for: what, limit } }: HeldThread,
  idOf: (thread: ThreadId) => string,
): string | null {
  const thread = idOf(id);
  switch (what) {
    case "answer":
      return `uwf thread answer ${thread} --show`;
    case "resume":
      return `uwf thread resume ${thread}`;
    case "remote":
      return `uwf thread show ${thread} --remote`;
    case "limit":
      return limit === null ? `uwf thread limit ${thread}` : raiseCommand({ ...limit, of: idOf(limit.of) });
    case "change":
      return `uwf thread step ${thread}`;
    case "threads":
      return null;
  }
}
