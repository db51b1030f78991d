import { setTimeout } from "node:timers/promises";
import { isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import { fieldNames } from "@uncaged/workflow-agent-kit";
import { evaluateCondition } from "@uncaged/workflow-moderator";
import {
  type CasRef,
  err,
  type Fault,
  type HistoryReason,
  messageOf,
  ok,
  type ReportedFault,
  type Result,
  type StepContext,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { findThread, readChain, readContext, type Storage } from "@uncaged/workflow-store";
import { asThreadId } from "@uncaged/workflow-util";
import { toYaml } from "../yaml.js";
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

/** What a child gave, and its steps; an error is a sentence. */
type Given = { readonly fields: JsonObject; readonly steps: readonly StepContext[] };

/** The fields of its last output, or what `output` (JSONata) makes of its history. A child without a step gave none. */
export async function givenBy(
  { cas }: Storage,
  { thread, head }: EndedChild,
  output: string | null,
): Promise<Result<Given, string>> {
  const chain = readChain(cas, head);
  if (!chain.ok) return err(`child thread ${thread} cannot be read: ${messageOf(chain.error)}`);
  const context = readContext(cas, chain.value);
  if (!context.ok) return err(`child thread ${thread} cannot be read: ${messageOf(context.error)}`);
  const { steps } = context.value;
  const last = steps.at(-1)?.output ?? {};
  if (output === null) return ok({ fields: isObject(last) ? last : {}, steps });
  const value = await evaluateCondition(output, context.value);
  if (!value.ok) return err(`--output ${output} failed for child thread ${thread}: ${value.error}`);
  if (isObject(value.value)) return ok({ fields: value.value, steps });
  return err(`--output ${output} gave no object for child thread ${thread}`);
}

/** The child's last step for a model, which reads everything else with `cas_get`: a StepNode names the one before it. */
export function lastStepText({ thread, head }: EndedChild, steps: readonly StepContext[]): string | null {
  const last = steps.at(-1);
  if (last === undefined) return null;
  const { role, output, detail } = last;
  const where = `Thread ${thread} has ended. Its last step is node ${head}, by the role ${role}; what was said there is node ${detail}.`;
  return `${where} Its output:\n\n${toYaml(output)}`;
}

/** Whether the role's meta has a field of this name. */
export function declares(meta: JsonValue, name: string): boolean {
  return fieldNames(meta)?.all.includes(name) === true;
}

/** Those facts that meta declares, and those that the output claims: they win over what a child said. */
export function factsFor(meta: JsonValue, given: JsonObject, facts: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(facts).filter(([name]) => declares(meta, name) || Object.hasOwn(given, name)),
  );
}

export const ENDED = { end: "ended", failed: "ended as failed", killed: "was killed" } as const;
