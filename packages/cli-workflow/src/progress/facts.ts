import { type StepDeps, type StepWatch, targetName } from "@uncaged/workflow-engine";
import { type Decision, type ReadValue, valuesRead } from "@uncaged/workflow-moderator";
import type {
  CasRef,
  EventOf,
  Fault,
  LoggedEvent,
  ModeratorContext,
  Result,
  StepOutput,
  StoppedWhy,
  ThreadId,
} from "@uncaged/workflow-protocol";
import { costOf, openHistory, readSession, type Storage } from "@uncaged/workflow-store";
import type { Host } from "../io.js";

/** What a step of this process gets if a person or a program watches its stdout and stderr. */
export type WatchedDeps = StepDeps & { readonly host: Host };

/** A recorded step, as watchers get it. What cannot be read is `null`: the step counts all the same. */
export type StepFacts = {
  readonly thread: ThreadId;
  /** Its place in the thread, from 1. */
  readonly number: number | null;
  readonly role: string;
  /** Columns of the workflow's longest role: the lines of its steps stand under one another. */
  readonly roleWidth: number;
  /** As the step names it. */
  readonly agent: string;
  readonly head: CasRef;
  /** The condition of the transition that was taken after it; `null`: it has none, or no decision leads on. */
  readonly condition: string | null;
  /** What decided. */
  readonly values: readonly ReadValue[];
  /** The role that comes next, `$END` or `$FAIL`; `null`: no decision leads on. */
  readonly next: string | null;
  /** Of its run; `null` also for what a person has answered. */
  readonly durationMs: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
};

/** Reads them when they are asked for; `null`: the step cannot be read. */
type RecordedFacts = () => StepFacts | null;

/** How a command ends: with the last state of its thread and why it stopped there, or with a failure. */
type LastWord = { readonly output: StepOutput; readonly why: StoppedWhy } | { readonly fault: Fault };

/** Shows the steps of one command as they happen. */
export type Progress = {
  /** Before the first step; `thread` as typed. */
  readonly open: (thread: string) => Promise<void>;
  /** For the next step. */
  readonly begin: () => StepDeps;
  /** That step is over. `isResult`: its line is printed as the command's result, and not as progress. */
  readonly end: (output: Result<StepOutput, Fault>, isResult: boolean) => RecordedFacts | null;
  readonly close: (last: LastWord) => Promise<void>;
};

/** What a command shows of its steps; `usual` depends on who reads stderr. */
export type Shown = "usual" | "quiet" | "events";

/** For those that say nothing at the beginning and at the end. */
export const UNSAID: Pick<Progress, "open" | "close"> = { open: async () => {}, close: async () => {} };

/** The events that are about a step that has been recorded. */
type RecordedStep = EventOf<"step" | "adopted" | "answered">;

export function isRecordedStep(event: LoggedEvent["event"]): event is RecordedStep {
  return event.kind === "step" || event.kind === "adopted" || event.kind === "answered";
}

/** Remembers what happens in a step. */
type Recorder = {
  readonly watch: Pick<StepWatch, "logged" | "decided">;
  /** The step that was recorded since the last call; `null`: none was. */
  readonly take: () => RecordedFacts | null;
};

export function openRecorder(storage: Storage): Recorder {
  let recorded: { readonly thread: ThreadId | null; readonly event: RecordedStep } | null = null;
  let reason = UNKNOWN;
  const facts = factsReader(storage);
  return {
    watch: {
      logged: ({ thread, event }) => {
        if (isRecordedStep(event) && !isLate(event)) recorded = { thread, event };
      },
      decided: (decision, context) => {
        reason = () => reasonOf(decision, context);
      },
    },
    take: () => {
      const [step, why] = [recorded, reason];
      recorded = null;
      reason = UNKNOWN;
      return step === null ? null : () => facts.of(step.thread, step.event, why());
    },
  };
}

/** A step of an earlier command, whose uwf died before it could report it. */
export function isLate(event: RecordedStep): boolean {
  return event.kind === "step" && event.late === true;
}

export type Reason = Pick<StepFacts, "condition" | "values" | "next">;

/** No decision leads on, or it is not known. */
export const UNKNOWN = (): Reason => ({ condition: null, values: [], next: null });

/** The condition that held, and what it looked at; where none did, what all of them looked at. */
export function reasonOf(decision: Decision, context: ModeratorContext): Reason {
  const taken = decision.tried.at(-1);
  const asked = taken === undefined || taken.expression === null ? decision.tried : [taken];
  const values = new Map<string, ReadValue>();
  for (const { expression } of asked) {
    if (expression === null) continue;
    for (const read of valuesRead(expression, context)) values.set(read.path, read);
  }
  return { condition: taken?.condition ?? null, values: [...values.values()], next: targetName(decision) };
}

type FactsReader = {
  /** The number of the step that is made on a head; `null`: the history cannot be read. */
  readonly numberOn: (head: CasRef | null) => number | null;
  /** `null`: the step cannot be read. */
  readonly of: (thread: ThreadId | null, event: RecordedStep, reason: Reason) => StepFacts | null;
};

/** Reads what events do not say from the nodes that they name. */
export function factsReader(storage: Storage): FactsReader {
  const numberOn = counting(storage);
  return {
    numberOn,
    of: (thread, event, reason) => {
      const chain = event.step === null ? null : openHistory(storage.cas, event.step);
      if (thread === null || chain === null || !chain.ok || chain.value.newest === null) return null;
      const { newest, start, workflow } = chain.value;
      const { role, agent, detail, prev } = newest.payload;
      return {
        thread,
        number: numberOn(prev ?? start.hash),
        role,
        roleWidth: Math.max(...Object.keys(workflow.payload.roles).map((each) => each.length)),
        agent,
        head: newest.hash,
        ...runFacts(storage, event, detail),
        ...reason,
      };
    },
  };
}

/** The whole history is counted once; after that each step is one more. */
function counting(storage: Storage): FactsReader["numberOn"] {
  let known: { readonly head: CasRef; readonly number: number } | null = null;
  return (head) => {
    if (head === null || known?.head === head) return known?.number ?? null;
    const chain = openHistory(storage.cas, head);
    if (!chain.ok) return null;
    const { newest, start, last } = chain.value;
    const before = newest === null ? null : (newest.payload.prev ?? start.hash);
    if (known !== null && known.head === before) {
      known = { head, number: known.number + 1 };
      return known.number;
    }
    const steps = last(null);
    if (!steps.ok) return null;
    known = { head, number: steps.value.length + 1 };
    return known.number;
  };
}

/** What cannot be read of a step's session is not known. */
function runFacts(
  storage: Storage,
  event: RecordedStep,
  detail: CasRef,
): Pick<StepFacts, "durationMs" | "tokens" | "costUsd"> {
  const read = readSession(storage.cas, detail);
  const session = read.ok ? read.value : null;
  const usages = [session?.usage ?? null, session?.extract?.usage ?? null];
  const seen = event.kind === "answered" ? null : event.durationMs;
  return { durationMs: seen ?? session?.durationMs ?? null, ...spentFor(usages) };
}

/** What is known of it. */
export function spentFor(
  usages: readonly Parameters<typeof costOf>[0][number][],
): Pick<StepFacts, "tokens" | "costUsd"> {
  const known = usages.filter((usage) => usage !== null);
  const isPriced = known.some(({ costUsd }) => costUsd !== null);
  return {
    tokens: known.length === 0 ? null : known.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
    costUsd: isPriced ? costOf(known).costUsd : null,
  };
}
