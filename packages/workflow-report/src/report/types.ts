import type {
  CasRef,
  Held,
  HistoryReason,
  SeenState,
  StepContext,
  ThreadId,
  Usage,
  UsageSum,
} from "@uncaged/workflow-protocol";
import type { GraphModel, GraphPoint, GraphSource } from "../graph/index.js";

export type JsonValue = StepContext["output"];

// What a report is made of. Times are epoch ms.

/** A transition as a decision has looked at it. */
export type ReportTransition = {
  readonly role: string;
  /** `null`: it always matches. */
  readonly condition: string | null;
  readonly expression: string | null;
  /** `null`: it was not evaluated. */
  readonly value: JsonValue;
  readonly error: string | null;
  readonly taken: boolean;
};

/** A person's answer. Its times are `null` where an imported node has one that no date has. */
export type ReportAnswer = {
  readonly by: string;
  readonly at: number | null;
  readonly via: string;
  readonly question: string;
  readonly askedAt: number | null;
  readonly timedOut: boolean;
};

/** A prompt, a reply, or what a tool was asked or has answered: long, and seldom read. */
export type StepText = { readonly title: string; readonly text: string };

/** A stored file that a step's output names. */
export type StepFile = {
  /** Where in the output: `files.diff`. */
  readonly path: string;
  readonly hash: CasRef;
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** `null`: it cannot be read any more. */
  readonly read: () => Uint8Array | null;
};

/** What differs between two documents of a step. */
export type DocumentDifference = {
  /** In a sentence, or why they cannot be compared. */
  readonly summary: string;
  readonly lines: readonly DifferentLine[];
  /** Lines that are left out. */
  readonly more: number;
};

export type DifferentLine = {
  /** The heading above it; `null`: there is none. */
  readonly heading: string | null;
  /** Which block, or which other part of the document. */
  readonly label: string;
  readonly parts: readonly DiffPart[];
  /** The words are the same, and look different. */
  readonly isFormatOnly: boolean;
};

/** One step as the store has it. */
export type StepFacts = {
  readonly hash: CasRef;
  readonly role: string;
  readonly agent: string;
  /** When it was recorded. */
  readonly timestamp: number;
  readonly output: JsonValue;
  /** What the agent said beside its output; `null`: nothing. */
  readonly reply: string | null;
  readonly model: string | null;
  readonly durationMs: number | null;
  readonly usage: Usage | null;
  /** The model that read the output out of the reply. */
  readonly extract: { readonly model: string | null; readonly usage: Usage | null } | null;
  readonly answer: ReportAnswer | null;
  /** No model was paid for it: a person played, or threads that have costs of their own. */
  readonly free: boolean;
  /** The folder that its agent worked in. */
  readonly cwd: string | null;
  /** `null`: there are some, which were not read. */
  readonly texts: readonly StepText[] | null;
  readonly files: readonly StepFile[];
  /** `null`: it has no two documents. */
  readonly difference: DocumentDifference | null;
  /** What was decided after it; of the last step of an active thread, what would be decided now. */
  readonly decision: readonly ReportTransition[];
};

/** A run without a step, as the log has it. */
export type FailureFacts = {
  readonly outcome: "failed" | "abandoned";
  readonly role: string | null;
  readonly agent: string | null;
  readonly code: string | null;
  /** Why, in a sentence. */
  readonly message: string;
  /** The end of what the agent wrote to stderr. */
  readonly stderr: string | null;
  readonly head: string | null;
  readonly usage: Usage | null;
  readonly extractUsage: Usage | null;
  readonly durationMs: number | null;
  /** When it had ended. */
  readonly timestamp: number;
  /** Its role is played by threads, which count by themselves. */
  readonly free: boolean;
};

/** A thread that another one has started. */
export type ChildFacts = {
  /** Of its parent, and which of several items. */
  readonly role: string;
  readonly item: number | null;
  /** Where its parent stood. */
  readonly head: string;
  readonly thread: ThreadFacts;
};

/** Everything that a report says of a thread, as it was read. */
export type ThreadFacts = {
  readonly thread: ThreadId;
  /** When it was started: steps that are older come from a fork. */
  readonly startedAt: number;
  readonly workflow: { readonly hash: CasRef; readonly source: GraphSource };
  /** `at`: when its node was stored, epoch ms. */
  readonly start: { readonly hash: CasRef; readonly task: string; readonly at: number };
  readonly ended: { readonly reason: HistoryReason; readonly at: number } | null;
  readonly state: SeenState;
  /** Of an active thread. */
  readonly at: GraphPoint | null;
  readonly held: Held | null;
  /** What was decided before the first step. */
  readonly decision: readonly ReportTransition[];
  /** Oldest first. */
  readonly steps: readonly StepFacts[];
  /** Oldest first; `null`: the log cannot be read. */
  readonly failures: readonly FailureFacts[] | null;
  readonly children: readonly ChildFacts[];
};

// The report.

/** Words that are the same, that are new, and that are gone. */
export type DiffPart = { readonly kind: "same" | "new" | "gone"; readonly text: string };

/** A value of a step's output. */
export type OutputField = {
  /** `phases.0.title` */
  readonly path: string;
  /** Data is JSON, text is as it is. */
  readonly kind: "text" | "data";
  readonly value: string;
  /** Against the same role's previous visit; `null` at its first one. */
  readonly change: "same" | "new" | "changed" | "gone" | null;
  /** Of a changed text; `null`: too different, or too long. */
  readonly diff: readonly DiffPart[] | null;
};

export type ReportStep = StepFacts & {
  /** From 1. */
  readonly number: number;
  /** Which visit of its role, from 1. */
  readonly visit: number;
  /** The number of the role's previous visit. */
  readonly previous: number | null;
  /** Its node is older than the thread: a fork took it over. */
  readonly inherited: boolean;
  /** Compared on demand: that takes longer than the rest of a report. */
  readonly fields: () => readonly OutputField[];
  /** Its reply against that of the role's previous visit; `null`: there is none, or they are too different or long. */
  readonly replyDiff: () => readonly DiffPart[] | null;
  /** Runs before it that gave no step. */
  readonly failures: readonly FailureFacts[];
  readonly children: readonly ReportChild[];
};

export type ReportChild = Omit<ChildFacts, "thread" | "head"> & { readonly report: ThreadReport };

/** What a role has cost, with its failed runs and the threads that play it. */
export type RoleCost = {
  readonly role: string;
  readonly steps: number;
  readonly failures: number;
  /** Of agents at work. */
  readonly durationMs: number;
  readonly sum: UsageSum;
  /** Of it, what the roles of the threads that play it have cost. */
  readonly below: readonly RoleCost[];
};

/** A stretch of time in which an agent worked, a run failed, threads of a step went on, or a person was asked. */
export type Span = {
  readonly role: string;
  readonly kind: "step" | "threads" | "failure" | "answer";
  /** Of a step, else of the step that it led to; `null`: there is none yet. */
  readonly step: number | null;
  readonly from: number;
  readonly to: number;
};

export type ThreadReport = {
  readonly thread: ThreadId;
  readonly workflow: { readonly hash: CasRef; readonly name: string; readonly description: string };
  /** The node that the thread began with. */
  readonly start: CasRef;
  readonly task: string;
  readonly state: SeenState;
  readonly held: Held | null;
  readonly startedAt: number;
  /** Of the last thing that is known: its end, its newest step or failed run. */
  readonly lastAt: number;
  /** Of agents at work. */
  readonly workMs: number;
  /** Between a question to a person and its answer. */
  readonly askedMs: number;
  readonly graph: GraphModel;
  readonly decision: readonly ReportTransition[];
  readonly steps: readonly ReportStep[];
  /** Since the last step. */
  readonly failures: readonly FailureFacts[];
  /** All of them; `null`: the log cannot be read. */
  readonly failed: number | null;
  /** Threads that the running step has started. */
  readonly children: readonly ReportChild[];
  readonly spans: readonly Span[];
  /** In the order of the graph. */
  readonly roles: readonly RoleCost[];
  readonly total: UsageSum;
};
