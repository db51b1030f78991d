import type { JsonValue } from "@uncaged/json-cas";
import type { Held } from "./held.js";
import type { CasRef, ThreadId } from "./ids.js";
import type { Usage } from "./nodes.js";
import type { SpendingLimits, Spent } from "./spending.js";
import type { NoteLine } from "./wire.js";
import type { END, FAIL, HistoryReason } from "./workflow.js";

// The documents that commands print. Names and nesting are a contract; fields may be added after them.

/** Of `workflow put` (of several files a list), `rollback` and `rm`. */
export type WorkflowPutOutput = {
  readonly name: string;
  /** `null` after `rm`. */
  readonly hash: CasRef | null;
  /** What the name pointed to before; `null` if there was no such name. The same as `hash` where nothing changed. */
  readonly previous: CasRef | null;
};

/** An item of `workflow history`, newest first. */
export type WorkflowHistoryItem = {
  readonly hash: CasRef | null;
  readonly previous: CasRef | null;
  /** Whether the name points to it now: `false` for every line of a version that was left. */
  readonly current: boolean;
  /** Whether `workflow show --source` has the YAML. */
  readonly source: CasRef | null;
  /** Epoch ms; `null`: named by a version of uwf that kept no history. */
  readonly at: number | null;
};

/** An item of `workflow list`. */
export type WorkflowListItem = {
  readonly name: string;
  readonly hash: CasRef | null;
  readonly origin: "registry" | "local";
};

/** Of `init`. */
export type InitOutput = {
  readonly name: string;
  /** The template. */
  readonly from: string;
  /** What was written, relative to the current folder. */
  readonly files: readonly string[];
  /** The command that comes next. */
  readonly next: string;
};

/** Of `workflow test`. */
export type WorkflowTestOutput = {
  readonly passed: number;
  readonly failed: number;
  readonly workflows: readonly TestedWorkflow[];
};

export type TestedWorkflow = {
  readonly file: string;
  readonly workflow: string;
  readonly scenarios: readonly PlayedScenario[];
  /** Of all its scenarios together. */
  readonly coverage: WorkflowCoverage;
};

export type PlayedScenario = {
  readonly file: string;
  readonly ok: boolean;
  /** The roles in their order. */
  readonly path: readonly string[];
  /** `null`: it did not get there. */
  readonly end: typeof END | typeof FAIL | null;
  readonly durationMs: number;
  /** The first step that was not as it should be. */
  readonly failure: ScenarioFailure | null;
  /** What `--update` wrote into the file: `expect`, `end`, `roles.reviewer`. */
  readonly written: readonly string[];
};

export type ScenarioFailure = {
  readonly kind:
    | "wrong-role"
    | "wrong-end"
    | "no-reply"
    | "invalid-reply"
    | "failed-reply"
    | "routing"
    | "too-long";
  readonly message: string;
  readonly hint: string | null;
  /** From 1. */
  readonly step: number;
  /** A role, `$END` or `$FAIL`; `null`: nothing in particular. */
  readonly expected: string | null;
  /** Where the graph led; `null`: nowhere. */
  readonly got: string | null;
  /** What is wrong with a reply, one line for each thing. */
  readonly problems: readonly string[];
  /** Of the scenario's file, both from 1; `null`: nothing in it is to blame. */
  readonly line: number | null;
  readonly column: number | null;
  /** The step before; `null`: there was none. */
  readonly after: { readonly role: string; readonly output: JsonValue } | null;
  /** The transitions after that step, in order, as `thread next` shows them. */
  readonly transitions: readonly {
    readonly role: string;
    readonly condition: string | null;
    readonly expression: string | null;
    readonly value: JsonValue;
    readonly error: string | null;
  }[];
};

export type WorkflowCoverage = {
  /** In the order of the graph. */
  readonly transitions: readonly {
    readonly from: string;
    readonly role: string;
    readonly condition: string | null;
    /** How often. */
    readonly taken: number;
  }[];
  /** How often each was evaluated to which value. */
  readonly conditions: readonly {
    readonly condition: string;
    readonly true: number;
    readonly false: number;
  }[];
};

/** Of `thread start`. */
export type StartOutput = {
  readonly workflow: CasRef;
  readonly thread: ThreadId;
  /** Of a start with a key: whether the thread was there already. */
  readonly existing?: boolean;
};

/** Of `thread step`, `run` and `answer`. `reason` is present only if the thread has ended. */
export type StepOutput = {
  readonly workflow: CasRef;
  readonly thread: ThreadId;
  readonly head: CasRef;
} & ({ readonly done: false } | { readonly done: true; readonly reason: HistoryReason });

/** Why a command leaves a thread that has not ended: the steps or the role that were asked for, or one of its bounds. */
export type StoppedWhy = "steps" | "until" | "cost" | "time";

/**
 * A line of `--events`; with `timestamp`, epoch ms, behind `event`. What happens to a thread, in the order of `EVENTS`, and
 * then how the command ends: the last line is `held`, `failed`, `ended` or `stopped`. `step`: the step's number in the thread.
 */
export type StepEvent = {
  [Event in keyof StepEvents]: { readonly event: Event } & StepEvents[Event];
}[keyof StepEvents];

type StepEvents = {
  readonly started: { readonly thread: ThreadId; readonly workflow: CasRef | null; readonly head: CasRef };
  readonly agent: OfStep & { readonly role: string; readonly agent: string; readonly attempt: number };
  /** A line of the agent's stderr. No log has it. */
  readonly output: OfStep & { readonly text: string };
  /** A run has ended without a step. */
  readonly run: OfStep & {
    readonly role: string | null;
    /** The program. */
    readonly agent: string | null;
    readonly attempt: number | null;
    readonly outcome: "failed" | "abandoned" | "waiting";
    readonly code: string | null;
    readonly message: string;
    readonly hint: string | null;
  } & Effort;
  readonly step: OfStep & {
    readonly role: string;
    readonly agent: string;
    readonly head: CasRef;
    readonly condition: string | null;
    readonly values: Readonly<Record<string, string | number | boolean | null>>;
    readonly next: string | null;
  } & Effort;
  /** No decision leads on from the head. */
  readonly stuck: {
    readonly thread: ThreadId;
    readonly head: string;
    readonly role: string;
    readonly code: string;
    readonly message: string;
  };
  readonly held: Stopped;
  readonly failed: Stopped & { readonly retryable: boolean; readonly exitCode: number };
  readonly ended: { readonly thread: ThreadId; readonly head: CasRef; readonly reason: HistoryReason };
  readonly stopped: { readonly thread: ThreadId; readonly head: CasRef; readonly why: StoppedWhy };
};

type OfStep = { readonly thread: ThreadId; readonly step: number | null };

type Effort = {
  readonly durationMs: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
};

type Stopped = {
  readonly thread: ThreadId | null;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
};

/** Of `thread show`. */
export type ThreadShowOutput = StepOutput & {
  /** The folder in which its agents work; `null` when it has none yet (its first step keeps one), or has ended. */
  readonly cwd: string | null;
  /** Runs since the head that gave no step: the agent failed, or its uwf died. `null` when the log cannot be read. */
  readonly runs: { readonly failed: number; readonly abandoned: number } | null;
  /** The newest of them; or why no decision leads on from the head. */
  readonly lastFailure: RunFailure | RoutingFailure | null;
  /** The run under way. */
  readonly running: (RunningRun & { readonly uwf: "alive" | "dead" | "unknown" }) | null;
  /** Why the next step would start nothing; `null`: it would. */
  readonly held: Held | null;
  /** What people have said to the next run. */
  readonly notes: readonly NoteLine[];
  /** The thread that started it, for which of its roles, and which of several items; `null`: none that is known. */
  readonly parent: Kin | null;
  /** The threads that it has started. */
  readonly children: readonly Kin[];
  /** A run of its head whose uwf and agent are gone: the next step takes what it gave, or runs the role again. */
  readonly leftRun: LeftRun | null;
  /** Present only if the workflow is another one now than when the thread began. */
  readonly changed?: ChangedWorkflow;
};

export type ChangedWorkflow = {
  /** The file, absolute, or the name in the registry. */
  readonly from: string;
  readonly workflow: CasRef;
  /** Moves the thread to it. */
  readonly command: string;
};

/** A thread on the other end of a child's line. */
type Kin = { readonly thread: ThreadId; readonly role: string; readonly item: number | null };

/** A run under way. */
export type RunningRun = {
  readonly role: string;
  /** The program as it was started. */
  readonly agent: string;
  /** Epoch ms. */
  readonly since: number;
  /** `null` while it is being started. */
  readonly pid: number | null;
  /** As reported by the agent; `null` if it is not. */
  readonly model: string | null;
  /** When it last wrote something or touched its heartbeat, in ISO 8601, UTC; `null` if it has done neither yet. */
  readonly lastSignOfLife: string | null;
};

/** A run whose uwf and agent are gone. */
export type LeftRun = {
  readonly role: string;
  readonly agent: string;
  /** Epoch ms. */
  readonly since: number;
};

/** An item of `thread ps`: a thread that a uwf holds, or whose agent runs. */
export type ThreadPsItem = {
  readonly thread: ThreadId;
  /** `null` if its head cannot be read. */
  readonly workflow: CasRef | null;
  /** `null` while its uwf still decides, or already records. */
  readonly run: (RunningRun & { readonly attempt: number }) | null;
  /** The uwf that holds the thread; `null`: it is gone, and only its agent still works. */
  readonly uwf: LockHolder | null;
};

export type RunFailure = {
  readonly outcome: "failed" | "abandoned";
  readonly code: string | null;
  /** Why, as far as is known: `auth`, `rate-limit`, … */
  readonly reason: string | null;
  readonly message: string;
  readonly role: string | null;
  readonly agent: string | null;
  readonly exitCode: number | null;
  /** The end of the agent's stderr. */
  readonly stderr: string | null;
  /** Epoch ms. */
  readonly timestamp: number;
  /** What to do, as its step said it; `null`: a uwf that logged no hints wrote the line, or the run was abandoned. */
  readonly hint: string | null;
};

/** Routing failed after the head, and will fail again: the thread can only be continued in a fork. */
export type RoutingFailure = {
  readonly outcome: "routing";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** The role of the head's step, or `$START`. */
  readonly role: string;
  /** Epoch ms of the first time. */
  readonly timestamp: number;
};

type Listed = { readonly thread: ThreadId; readonly workflow: CasRef; readonly head: CasRef };

/**
 * An item of `thread list`. `done` is present only in a list with ended threads, `lastFailure` only if routing failed, `held` only if it is,
 * `silentSince` (ISO 8601, UTC) only if its run has given no sign of life for some minutes.
 */
export type ThreadListItem =
  | (Listed &
      (object | { readonly done: boolean }) &
      (object | { readonly lastFailure: RoutingFailure }) &
      (object | { readonly held: Held }) &
      (object | { readonly silentSince: string }))
  | { readonly thread: ThreadId; readonly workflow: null; readonly head: string; readonly error: string };

/**
 * What a thread is just now. `failing`: its last run failed, or no decision leads on; `abandoned`: the uwf of a run at its
 * head is gone; `damaged`: it cannot be read.
 */
export type SeenState =
  | "active"
  | "running"
  | "abandoned"
  | "held"
  | "failing"
  | "ended"
  | "failed"
  | "killed"
  | "damaged";

/** An item of `thread list --tree`: a thread and those that it has started. */
export type ThreadTreeItem = {
  readonly thread: ThreadId;
  /** Its name; `null` if it cannot be read. */
  readonly workflow: string | null;
  /** Which role of its parent it plays, and which of several items; `null` for a thread that no other thread started. */
  readonly role: string | null;
  readonly item: number | null;
  readonly state: SeenState;
  /** The role whose run is under way or was left behind. */
  readonly runs: string | null;
  readonly held: Held | null;
  readonly children: readonly ThreadTreeItem[];
};

/** Of `thread steps`. */
export type ThreadStepsOutput = {
  readonly thread: ThreadId;
  readonly workflow: CasRef;
  readonly steps: readonly (
    | {
        readonly hash: CasRef;
        readonly workflow: CasRef;
        readonly prompt: string;
        readonly timestamp: number;
      }
    | {
        readonly hash: CasRef;
        readonly role: string;
        readonly output: JsonValue;
        readonly detail: CasRef;
        readonly agent: string;
        readonly timestamp: number;
      }
  )[];
};

/** Of `thread usage`. What an agent does not report is `null`, never 0. */
export type ThreadUsageOutput = {
  readonly thread: ThreadId;
  readonly workflow: CasRef;
  /** Oldest first. */
  readonly steps: readonly {
    readonly hash: CasRef;
    readonly role: string;
    readonly agent: string;
    readonly model: string | null;
    readonly sessionId: string | null;
    readonly usage: Usage | null;
    /** The model that read the output out of the reply; `null`: none did. */
    readonly extract: { readonly model: string | null; readonly usage: Usage | null } | null;
    readonly durationMs: number | null;
    /** Its node is older than the thread: a fork took it over, and it was paid for elsewhere. */
    readonly inherited: boolean;
    /** Epoch ms. */
    readonly timestamp: number;
  }[];
  /** The runs without a step, oldest first, from the log; `null` if it cannot be read. */
  readonly failed:
    | readonly {
        readonly outcome: RunFailure["outcome"];
        readonly role: string | null;
        /** The program as it was started. */
        readonly agent: string | null;
        readonly code: string | null;
        /** The head that it was started on. */
        readonly head: string | null;
        readonly sessionId: string | null;
        readonly usage: Usage | null;
        /** What a model used that was to read the output out of the reply; `null`: unknown, or there was none. */
        readonly extractUsage: Usage | null;
        readonly durationMs: number | null;
        /** Epoch ms. */
        readonly timestamp: number;
      }[]
    | null;
  /** The threads that it has started, in that order, each with everything below it. */
  readonly children: readonly {
    readonly thread: ThreadId;
    readonly role: string;
    readonly item: number | null;
    readonly total: UsageSum;
    readonly complete: boolean;
  }[];
  /** The thread's own steps, its failed runs and its children together. */
  readonly total: UsageSum;
  /** The part of the failed runs in it. */
  readonly failedTotal: UsageSum | null;
  /** Whether `total` is complete: every run reports tokens and cost, and the log can be read. */
  readonly complete: boolean;
};

/** Sums over the runs that report them; `null` if none does. */
export type UsageSum = {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  readonly costUsd: number | null;
  /** How many runs do not report their tokens, and how many not their cost. */
  readonly unknown: { readonly tokens: number; readonly cost: number };
};

/**
 * Of `thread fork`. `thread` is `null` with `--dry-run`. `forkedFrom.thread`: the thread whose folder is used; `null` if that is
 * unknown, and the fork has the caller's or the given one.
 */
export type ForkOutput = {
  readonly thread: ThreadId | null;
  readonly forkedFrom: { readonly step: CasRef; readonly thread: ThreadId | null };
  readonly cwd: string;
  /** The thread in whose place it stands, which is archived; only with --instead-of. */
  readonly insteadOf?: ThreadId;
};

/** Of `thread fork --workflow`: a fork under another workflow. */
export type WorkflowForkOutput = ForkOutput & {
  readonly workflow: CasRef;
  /** Every step before and after the fork, oldest first. */
  readonly steps: readonly { readonly from: CasRef; readonly to: CasRef; readonly role: string }[];
  /** The role that the next step runs, or how the thread ends. */
  readonly next: string;
};

/** A thread that was removed, and where it stood. */
export type RemovedThread = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  /** Epoch ms. */
  readonly at: number;
};

/** Of `thread rm`; of several threads a list. */
export type ThreadRmItem = {
  readonly thread: ThreadId;
  /** Where it stood: a fork of it continues from there, until gc has removed it. */
  readonly head: CasRef;
  readonly removed: true;
  /** Threads below it that were removed with it. */
  readonly children: readonly ThreadId[];
};

/** Of `thread kill`. */
export type KillOutput = {
  readonly thread: ThreadId;
  readonly archived: true;
  /** Threads below it that were killed with it. */
  readonly children: readonly ThreadId[];
};

/** What `thread run --all` did with one thread. */
export type RunAllItem = {
  readonly thread: ThreadId;
  /** Taken now. */
  readonly steps: number;
  /** `active`: `--max-steps` is reached. `failed`: it ended as failed, or its step failed. */
  readonly state: "ended" | "failed" | "active" | "held" | "busy";
  /** Of the last `thread step`; 0 where nothing failed. */
  readonly exitCode: number;
  readonly error: { readonly message: string; readonly hint: string | null } | null;
};

/**
 * Of `thread run --all`. The threads that were stepped, or failed; of the others how many wait, how many another process steps, and how many are left:
 * the time was over, or what is wrong with the machine they would have met as well.
 */
export type RunAllOutput = {
  readonly threads: readonly RunAllItem[];
  readonly held: number;
  readonly busy: number;
  readonly left: number;
};

/** Of `thread answer --show`. */
export type AnswerShowOutput = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly role: string;
  /** Markdown. */
  readonly question: string;
  /** The output's fields, a line each. */
  readonly fields: readonly string[];
  readonly schema: JsonValue;
};

/** Of `thread note`. `notes`: how many wait for the next run. */
export type NoteOutput = { readonly thread: ThreadId; readonly notes: number };

/** Of `thread pause` and `resume`. */
export type PauseOutput = {
  readonly thread: ThreadId;
  readonly paused: boolean;
  /** Active threads below it, of which the same is true now. */
  readonly children: readonly ThreadId[];
  /** The run of the thread itself that is under way: it finishes and counts. */
  readonly running: RunningRun | null;
};

/** Of `thread limit`. `limits`: those that hold, from `start`, `limit` and config.yaml. `spent`: with all threads below it. */
export type ThreadLimitOutput = {
  readonly thread: ThreadId;
  readonly limits: SpendingLimits;
  readonly spent: Spent;
};

/** Of `thread unlock`. */
export type UnlockOutput = {
  /** `null` for the lock of the index. */
  readonly thread: ThreadId | null;
  readonly released: boolean;
  /** Who held the lock; `null` if no process did. */
  readonly holder: LockHolder | null;
  /** The run that is on disk: under way, or left by a uwf that died. */
  readonly run: {
    readonly role: string;
    /** Epoch ms. */
    readonly startedAt: number;
    /** `null` if that cannot be checked from here. */
    readonly agentAlive: boolean | null;
  } | null;
};

export type LockHolder = {
  readonly pid: number;
  readonly host: string;
  /** Epoch ms. */
  readonly since: number;
  readonly judgement: "alive" | "dead" | "unknown";
  /** How that is known. */
  readonly because: string;
};

/** Of `thread read`. */
export type ThreadReadOutput = {
  readonly thread: ThreadId;
  readonly workflow: CasRef;
  readonly name: string;
  readonly state: "active" | HistoryReason;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly prompt: string;
  /** Steps before the first one here that did not fit the quota. */
  readonly omitted: number;
  /** With their expanded detail where `--detail` asks for it. */
  readonly steps: readonly (ReadStep | (ReadStep & { readonly detail: JsonValue }))[];
};

export type ReadStep = {
  readonly hash: CasRef;
  readonly role: string;
  readonly agent: string;
  readonly timestamp: number;
  readonly output: JsonValue;
  /** The reply's text without its header; `null` if the step has none. */
  readonly reply: string | null;
  /** The model that read the output out of the reply; `null`: none did. */
  readonly extract: { readonly model: string | null } | null;
};

/** Of `doctor`. */
export type DoctorOutput = { readonly ok: boolean; readonly findings: readonly Finding[] };

export type Finding = {
  /** What was looked at: `root`, `disk`, `agents`… */
  readonly check: string;
  readonly status: "ok" | "warning" | "error";
  readonly message: string;
  /** The command or file that fixes it; `null` if nothing needs to be fixed. */
  readonly fix: string | null;
};
