import type { Lock } from "@uncaged/json-cas-fs";
import type { CasRef, HistoryReason, ThreadId } from "@uncaged/workflow-protocol";

export type ActiveThread = { readonly kind: "active"; readonly thread: ThreadId; readonly head: CasRef };

export type EndedThread = {
  readonly kind: "ended";
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly workflow: CasRef;
  readonly reason: HistoryReason;
  /** Epoch ms. */
  readonly completedAt: number;
};

export type ThreadState = ActiveThread | EndedThread;

/** A thread that no other process can step until it is released, and its head at this moment. */
export type Claim = { readonly thread: ThreadId; readonly head: CasRef; readonly lock: Lock };
