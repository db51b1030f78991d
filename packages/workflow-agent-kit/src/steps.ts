import { basename } from "node:path";
import type { JsonValue, Store } from "@uncaged/json-cas";
import {
  type CasRef,
  type Fault,
  fault,
  type ModeratorContext,
  type NoteLine,
  type Result,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  type FailedSession,
  knownPast,
  notesOfRun,
  openHistory,
  readFailedSessions,
  readNotes,
  readOutput,
  readReply,
  readStep,
  type StepNode,
} from "@uncaged/workflow-store";
import { once, repeatsOutput, timeOfThreadId } from "@uncaged/workflow-util";
import { FaultError, orThrow } from "./fault.js";
import type { PromptStep } from "./prompt/index.js";
import { damage, type OpenThread, replyBody, type Self } from "./thread.js";

/**
 * The runs of this step by this agent that gave no result but reported their session, oldest first, from uwf's
 * log. A log that cannot be read contains none.
 */
export function attemptsOf(
  { storage, thread, head, last }: OpenThread,
  { name, program }: Self,
  role: string,
): readonly FailedSession[] {
  const failed = readFailedSessions(storage, { thread, since: last?.timestamp ?? timeOfThreadId(thread) });
  if (!failed.ok) return [];
  // The log has the program as it was started.
  const isOwn = (agent: string | null): boolean =>
    agent !== null && [name, program].includes(basename(agent));
  return failed.value.filter((run) => run.head === head && run.role === role && isOwn(run.agent));
}

/**
 * The complete history, oldest first, from the cache as far as uwf's conditions have filled it. Outputs of other
 * steps are read on access, once. Throws `FaultError` if the history is damaged, the getters too.
 */
export function allSteps(open: OpenThread): ModeratorContext["steps"] {
  const { storage, thread, head } = open;
  const { known, since } = orThrow(knownPast(storage, thread, orThrow(openHistory(storage.cas, head))));
  return [...known.map(({ step }) => step), ...since.map((step) => lazyStep(open, step))];
}

function lazyStep(open: OpenThread, { payload }: StepNode): ModeratorContext["steps"][number] {
  const { role, detail, agent, output } = payload;
  const read = once(() => outputOf(open, output));
  return Object.freeze({
    role,
    get output() {
      return read();
    },
    detail,
    agent,
  });
}

function outputOf(open: OpenThread, hash: CasRef): JsonValue {
  return needed(open, hash, readOutput(open.storage.cas, hash));
}

/** Where a walk back through a history begins. */
export type Tip = Pick<OpenThread, "head" | "last"> & { readonly storage: { readonly cas: Store } };

/** The history newest first, each step read on access. Throws `FaultError` if it is damaged. */
export function* nodesBackwards(tip: Tip): Generator<StepNode> {
  for (let step = tip.last; step !== null; step = previous(tip, step)) yield step;
}

/** Steps as a prompt shows them, each read on access. Throws `FaultError` if one is damaged. */
export function* promptSteps(open: OpenThread, steps: Iterable<StepNode>): Generator<PromptStep> {
  const { cas } = open.storage;
  for (const step of steps) {
    const { role, output, detail } = step.payload;
    const reply = needed(open, detail, readReply(cas, detail));
    const node = needed(
      open,
      output,
      attempt(() => cas.get(output)),
    );
    if (node === null)
      throw new FaultError(fault("CHAIN_DAMAGED", { head: open.head, node: output, reason: GONE }));
    const hasWords = reply !== null && !repeatsOutput(reply, node.payload);
    const text = hasWords ? replyBody(reply, node.payload) : null;
    yield { hash: step.hash, role, output: node.payload, reply: text };
  }
}

const GONE = "the output of a step does not exist";

function previous(tip: Tip, { payload: { prev } }: StepNode): StepNode | null {
  return prev === null ? null : needed(tip, prev, readStep(tip.storage.cas, prev));
}

function needed<T>({ head }: Pick<OpenThread, "head">, hash: CasRef, read: Result<T, Fault>): T {
  if (read.ok) return read.value;
  throw new FaultError(damage(head, hash, read.error));
}

/**
 * What people have said to this run, or to the next one if this is none. Throws `FaultError` if that cannot be read: they
 * mean it to be heard.
 */
export function notesFor({ run, storage, thread }: OpenThread): readonly NoteLine[] {
  return orThrow(run === null ? readNotes(storage, thread) : notesOfRun(run));
}
