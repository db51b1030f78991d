import { setTimeout } from "node:timers/promises";
import {
  type CasRef,
  type Fault,
  type HistoryReason,
  messageOf,
  type ReportedFault,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { findThread, type Storage } from "@uncaged/workflow-store";
import { asThreadId } from "@uncaged/workflow-util";
import type { Answer, Uwf } from "./uwf.js";

/** A child that has ended. */
export type EndedChild = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly outcome: HistoryReason;
};

/** How far a child has come in this run of its parent's step. */
export type Progress =
  | ({ readonly kind: "ended" } & EndedChild)
  | { readonly kind: "held"; readonly thread: ThreadId; readonly head: CasRef }
  /** Not started: as many children as may work at a time already do. */
  | { readonly kind: "later" }
  /** Its step failed; the next step of the parent goes on with it. `thread` is `null` if it could not be started. */
  | { readonly kind: "failed"; readonly thread: ThreadId | null; readonly why: Why };

/** A failure that another uwf, or its store, reported. */
export type Why = Pick<ReportedFault, "message" | "hint" | "retryable" | "reason" | "retryAfter">;

type Child = {
  readonly parent: ThreadId;
  /** `<head>/<role>` or `<head>/<role>/<item>` of the parent. */
  readonly key: string;
  readonly workflow: string;
  readonly prompt: string;
};

export type Port = {
  readonly uwf: Uwf;
  readonly storage: Storage;
  readonly signal: AbortSignal;
  /** Whether a remote has the parent: then its workers step the children, this one among them. */
  readonly isRemote: boolean;
};

/** Starts the child, or finds it again, and steps it until it has ended, waits or fails. */
export async function runChild(port: Port, child: Child): Promise<Progress> {
  const { parent, key, workflow, prompt } = child;
  if (port.signal.aborted) return { kind: "failed", thread: null, why: STOPPED };
  // An item of an output may name the workflow: behind `--` it is no option.
  const words = ["thread", "start", "--prompt", "-", `--parent=${parent}`, `--key=${key}`, "--", workflow];
  const started = await port.uwf(words, prompt);
  const thread = asThreadId(textAt(started.document, "thread"));
  if (thread === null) return { kind: "failed", thread: null, why: whyOf(started) };
  return port.isRemote ? seen(port, thread) : stepToEnd(port, thread);
}

/** The progress of a child that the remote steps. */
async function seen({ storage }: Port, thread: ThreadId): Promise<Progress> {
  const found = await findThread(storage, thread);
  if (!found.ok) return { kind: "failed", thread, why: whyOfFault(found.error) };
  const { kind, head } = found.value;
  if (kind === "ended") return { kind, thread, head, outcome: found.value.reason };
  return { kind: "held", thread, head };
}

/** Between two looks at a child that another process steps, in ms. */
const BUSY_MS = 1000;

async function stepToEnd(port: Port, thread: ThreadId): Promise<Progress> {
  const { storage, signal, uwf } = port;
  while (!signal.aborted) {
    const found = await findThread(storage, thread);
    if (!found.ok) return { kind: "failed", thread, why: whyOfFault(found.error) };
    const state = found.value;
    // A child has not ended before its archive is complete: the next step completes it.
    if (state.kind === "ended" && !state.pending) {
      return { kind: "ended", thread, head: state.head, outcome: state.reason };
    }
    const stepped = await uwf(["thread", "step", thread], null);
    if (stepped.code === 9) return { kind: "held", thread, head: state.head };
    if (stepped.code === 75) await pause(stepped, signal);
    else if (!GOES_ON.has(stepped.code)) return { kind: "failed", thread, why: whyOf(stepped) };
  }
  return { kind: "failed", thread, why: STOPPED };
}

/** A step; an end by another process; an end by `$FAIL`. */
const GOES_ON: ReadonlySet<number> = new Set([0, 8, 10]);

async function pause({ fault }: Answer, signal: AbortSignal): Promise<void> {
  const seconds = fault?.retryAfter ?? 0;
  try {
    await setTimeout(Math.max(BUSY_MS, seconds * 1000), undefined, { signal });
  } catch {
    // Aborted: the caller looks.
  }
}

const UNKNOWN: Why = { message: "", hint: null, retryable: false, reason: null, retryAfter: null };

const STOPPED: Why = { ...UNKNOWN, message: "the run was stopped", retryable: true };

function whyOf({ code, stderr, fault }: Answer): Why {
  if (fault !== null) return fault;
  return { ...UNKNOWN, message: `uwf exited with ${code}: ${stderr.trim().split("\n").at(-1) ?? ""}` };
}

function whyOfFault(fault: Fault): Why {
  return { ...UNKNOWN, message: messageOf(fault) };
}

function textAt(document: Answer["document"], key: string): string {
  const value = document?.[key];
  return typeof value === "string" ? value : "";
}
