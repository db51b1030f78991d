import { type StepState, type StepWatch, targetName, type Verified } from "@uncaged/workflow-engine";
import { type Decision, type ReadValue, valuesRead } from "@uncaged/workflow-moderator";
import type { CasRef, ModeratorContext } from "@uncaged/workflow-protocol";
import { costOf, readSession } from "@uncaged/workflow-store";
import type { StepFacts } from "./types.js";

/** Remembers what happens in a step. */
export type Recorder = {
  readonly watch: Pick<StepWatch, "recorded" | "decided">;
  /** What was recorded since the last call. */
  readonly take: () => StepFacts | null;
  /** The number of the step that is made on the state's head; `null`: the history cannot be read. */
  readonly numberOf: (state: StepState) => number | null;
};

export function openRecorder(): Recorder {
  let recorded: { readonly state: StepState; readonly verified: Verified } | null = null;
  let reason: Reason = UNKNOWN;
  const numberOf = counting();
  return {
    watch: {
      recorded: (state, verified) => {
        recorded = { state, verified };
      },
      decided: (decision, context) => {
        reason = reasonOf(decision, context);
      },
    },
    take: () => {
      if (recorded === null) return null;
      const { state, verified } = recorded;
      const facts = { ...runFacts(state, verified), number: numberOf(state), ...reason };
      recorded = null;
      reason = UNKNOWN;
      return facts;
    },
    numberOf,
  };
}

type Reason = Pick<StepFacts, "condition" | "values" | "next">;

const UNKNOWN: Reason = { condition: null, values: [], next: null };

/** The condition that held, and what it looked at; where none did, what all of them looked at. */
function reasonOf(decision: Decision, context: ModeratorContext): Reason {
  const taken = decision.tried.at(-1);
  const asked = taken === undefined || taken.expression === null ? decision.tried : [taken];
  const values = new Map<string, ReadValue>();
  for (const { expression } of asked) {
    if (expression === null) continue;
    for (const read of valuesRead(expression, context)) values.set(read.path, read);
  }
  return { condition: taken?.condition ?? null, values: [...values.values()], next: targetName(decision) };
}

/** The whole history is counted once; after that each step is one more. */
function counting(): Recorder["numberOf"] {
  let known: { readonly head: CasRef; readonly number: number } | null = null;
  return ({ chain }) => {
    if (known?.head === chain.head) return known.number;
    const before = chain.newest === null ? null : (chain.newest.payload.prev ?? chain.start.hash);
    if (known !== null && known.head === before) {
      known = { head: chain.head, number: known.number + 1 };
      return known.number;
    }
    const steps = chain.last(null);
    if (!steps.ok) return null;
    known = { head: chain.head, number: steps.value.length + 1 };
    return known.number;
  };
}

/** What cannot be read of a step's session is not known. */
function runFacts(
  { storage, thread, chain }: StepState,
  verified: Verified,
): Omit<StepFacts, "number" | keyof Reason> {
  const { hash, payload } = verified.step;
  const read = readSession(storage.cas, payload.detail);
  const session = read.ok ? read.value : null;
  const usages = [session?.usage ?? null, session?.extract?.usage ?? null].filter((usage) => usage !== null);
  const outcome = verified.run === null ? null : verified.outcome;
  const isPriced = usages.some(({ costUsd }) => costUsd !== null);
  return {
    thread,
    role: payload.role,
    roleWidth: Math.max(...Object.keys(chain.workflow.payload.roles).map((role) => role.length)),
    agent: payload.agent,
    head: hash,
    durationMs: outcome?.durationMs ?? session?.durationMs ?? null,
    tokens: usages.length === 0 ? null : usages.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
    costUsd: isPriced ? costOf(usages).costUsd : null,
  };
}
