import type { JsonValue } from "@uncaged/json-cas";
import type { CasRef, ThreadId } from "../ids/index.js";

// The documents that commands print. Names and nesting are a contract; fields may be added after them.

export type HistoryReason = "end" | "killed";

/** Thread id to head. */
export type ThreadsIndex = Readonly<Record<ThreadId, CasRef>>;

export type WorkflowPutOutput = { readonly name: string; readonly hash: CasRef };

export type WorkflowListItem = {
  readonly name: string;
  readonly hash: CasRef | null;
  readonly origin: "registry" | "local";
};

export type StartOutput = { readonly workflow: CasRef; readonly thread: ThreadId };

export type StepOutput = {
  readonly workflow: CasRef;
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly done: boolean;
};

/** `reason` stands only where the thread has ended. */
export type ThreadShowOutput = StepOutput | (StepOutput & { readonly reason: HistoryReason });

export type ThreadListItem =
  | { readonly thread: ThreadId; readonly workflow: CasRef; readonly head: CasRef }
  | { readonly thread: ThreadId; readonly workflow: CasRef; readonly head: CasRef; readonly done: boolean }
  | { readonly thread: ThreadId; readonly workflow: null; readonly head: string; readonly error: string };

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

export type ForkOutput = { readonly thread: ThreadId; readonly forkedFrom: { readonly step: CasRef } };

export type KillOutput = { readonly thread: ThreadId; readonly archived: true };
