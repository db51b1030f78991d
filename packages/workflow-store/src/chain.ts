import type { Hash, JsonValue, Store } from "@uncaged/json-cas";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  type ModeratorContext,
  messageOf,
  ok,
  type Result,
  type StepContext,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { readChainNode, readNode, type StartNode, type StepNode, type WorkflowNode } from "./nodes.js";

function chainDamaged(head: Hash, node: Hash, reason: string): Result<never, Fault> {
  return err(fault("CHAIN_DAMAGED", { head, node, reason }));
}

/**
 * A node that the history needs is unusable: that is damage (exit 7), whatever the reader called it. Faults that
 * do not concern the node's content (no permission, disk trouble) stay what they are.
 */
function asChainDamage(head: Hash, node: Hash, role: string, cause: Fault): Result<never, Fault> {
  switch (cause.code) {
    case "NODE_MISSING":
      return chainDamaged(head, node, `${role} does not exist`);
    case "WRONG_NODE_TYPE":
      return chainDamaged(head, node, `${role} is a ${cause.got}, not a ${cause.expected}`);
    case "NODE_DAMAGED":
      return chainDamaged(
        head,
        node,
        `${role} is unreadable: ${cause.reason}${cause.file === null ? "" : ` (${cause.file})`}`,
      );
    case "IO_FAILED":
    case "PACK_DAMAGED":
    case "UNSUPPORTED_FORMAT":
      return err(cause);
    default:
      return chainDamaged(head, node, `${role}: ${messageOf(cause)}`);
  }
}

/** A thread's complete history as values. */
export type Chain = {
  readonly head: CasRef;
  readonly workflow: WorkflowNode;
  readonly start: StartNode;
  /** Oldest first. */
  readonly steps: readonly StepNode[];
};

/** A thread's history from its head back, read on demand. */
export type OpenHistory = {
  readonly head: CasRef;
  readonly workflow: WorkflowNode;
  readonly start: StartNode;
  /** The step that the head is; `null` before the first. */
  readonly newest: StepNode | null;
  /**
   * The last `count` steps (`null`: all), fewer if there are no more; oldest first. Reads what has not been read
   * yet.
   */
  readonly last: (count: number | null) => Result<readonly StepNode[], Fault>;
  /** The steps after the newest known one, or all; oldest first. The known one is not read. */
  readonly since: (isKnown: (hash: CasRef) => boolean) => Result<Since, Fault>;
};

/** `known` is `null` when none is. */
type Since = { readonly known: CasRef | null; readonly steps: readonly StepNode[] };

/** What conditions and agents see: every `output` expanded to its payload, everything frozen. */
export function readContext(store: Store, chain: Stretch): Result<ModeratorContext, Fault> {
  const steps: StepContext[] = [];
  for (const step of chain.steps) {
    const output = readOutput(store, chain, step);
    if (!output.ok) return output;
    const { role, detail, agent } = step.payload;
    steps.push(Object.freeze({ role, output: output.value, detail, agent }));
  }
  return ok(frozenContext(chain, steps));
}

/** A chain, or its last steps. */
type Stretch = Pick<Chain, "head" | "start" | "steps">;

/** A context whose outputs are read on access, once each. */
export type LazyContext = {
  readonly context: ModeratorContext;
  /** The first output that could not be read, if one was looked at: its reader got an exception. */
  readonly damage: () => Fault | null;
};

/** `contextOf` for a decision, which usually needs only the last step. */
export function createLazyContext(store: Store, chain: Stretch): LazyContext {
  let damage: Fault | null = null;
  const read = (step: StepNode): JsonValue => {
    const output = readOutput(store, chain, step);
    if (output.ok) return output.value;
    damage ??= output.error;
    throw new Error(messageOf(output.error));
  };
  const steps = chain.steps.map((step) => lazyStep(step, read));
  return { context: frozenContext(chain, steps), damage: () => damage };
}

function frozenContext({ start }: Stretch, steps: readonly StepContext[]): ModeratorContext {
  const { workflow, prompt } = start.payload;
  return Object.freeze({ start: Object.freeze({ workflow, prompt }), steps: Object.freeze(steps) });
}

function lazyStep(step: StepNode, read: (step: StepNode) => JsonValue): StepContext {
  const { role, detail, agent } = step.payload;
  let kept: { readonly value: JsonValue } | null = null;
  return Object.freeze({
    role,
    get output() {
      kept ??= { value: read(step) };
      return kept.value;
    },
    detail,
    agent,
  });
}

function readOutput(store: Store, { head }: Stretch, step: StepNode): Result<JsonValue, Fault> {
  const hash = step.payload.output;
  const node = attempt(() => store.get(hash));
  if (!node.ok) return asChainDamage(head, hash, `the output of step ${step.hash}`, node.error);
  if (node.value === null) return chainDamaged(head, hash, `the output of step ${step.hash} does not exist`);
  return ok(freezeDeep(node.value.payload));
}

/**
 * Opens a thread's history at its head: the start, the workflow and the last step are read now, earlier steps on
 * demand. Whatever is missing, damaged or of the wrong type when it is read is `CHAIN_DAMAGED`.
 */
export function openHistory(store: Store, head: Hash): Result<OpenHistory, Fault> {
  const first = readChainNode(store, head);
  if (!first.ok) return asChainDamage(head, head, "the head", first.error);
  const newest = first.value.kind === "step" ? first.value : null;
  const startHash = newest === null ? head : newest.payload.start;
  const start = readNode(store, "startNode", startHash);
  if (!start.ok) return asChainDamage(head, startHash, "its start", start.error);
  const workflow = readNode(store, "workflow", start.value.payload.workflow);
  if (!workflow.ok) return asChainDamage(head, start.value.payload.workflow, "its workflow", workflow.error);
  const back = newest === null ? NO_STEPS : readerFrom(store, newest);
  return ok({ head, workflow: workflow.value, start: start.value, newest, ...back });
}

type Back = Pick<OpenHistory, "last" | "since">;

const NO_STEPS: Back = { last: () => ok([]), since: () => ok({ known: null, steps: [] }) };

/** Follows `prev` back as far as necessary, each node once. Iterative; `seen` ends even a chain that a broken store bends into a ring. */
function readerFrom(store: Store, newest: StepNode): Back {
  // Newest first.
  const read: StepNode[] = [newest];
  const seen = new Set<Hash>([newest.hash]);
  let prev = newest.payload.prev;
  const readOne = (hash: Hash): Result<void, Fault> => {
    if (seen.has(hash)) return chainDamaged(newest.hash, hash, "the chain comes back to it");
    const step = readNode(store, "stepNode", hash);
    if (!step.ok) return asChainDamage(newest.hash, hash, "an earlier step", step.error);
    const { start, prev: before } = step.value.payload;
    if (start !== newest.payload.start) {
      return chainDamaged(newest.hash, hash, `it belongs to the start ${start}`);
    }
    seen.add(hash);
    read.push(step.value);
    prev = before;
    return ok(undefined);
  };
  return {
    last: (count) => {
      while (prev !== null && (count === null || read.length < count)) {
        const more = readOne(prev);
        if (!more.ok) return more;
      }
      return ok(read.slice(0, count ?? read.length).reverse());
    },
    since: (isKnown) => {
      for (let index = 0; ; index += 1) {
        const hash = read[index]?.hash ?? prev;
        if (hash === null || isKnown(hash)) return ok({ known: hash, steps: read.slice(0, index).reverse() });
        const more = index < read.length ? ok(undefined) : readOne(hash);
        if (!more.ok) return more;
      }
    },
  };
}

/**
 * The thread's complete history, oldest step first. Whatever is missing, damaged or of the wrong type is
 * `CHAIN_DAMAGED`.
 */
export function readChain(store: Store, head: Hash): Result<Chain, Fault> {
  const history = openHistory(store, head);
  if (!history.ok) return history;
  const { workflow, start, last } = history.value;
  const steps = last(null);
  return steps.ok ? ok({ head, workflow, start, steps: steps.value }) : steps;
}

/** The start of a thread from its head, by two reads however long the thread is: every step refers to its start. */
export function readStartNode(store: Store, head: Hash): Result<StartNode, Fault> {
  const node = readChainNode(store, head);
  if (!node.ok) return asChainDamage(head, head, "the head", node.error);
  if (node.value.kind === "start") return ok(node.value);
  const start = readNode(store, "startNode", node.value.payload.start);
  return start.ok ? start : asChainDamage(head, node.value.payload.start, "its start", start.error);
}

/** The workflow's hash of a thread, from its head. */
export function workflowOfHead(store: Store, head: Hash): Result<CasRef, Fault> {
  const start = readStartNode(store, head);
  return start.ok ? ok(start.value.payload.workflow) : start;
}

/** Freezes a payload with all that is in it. It is at most 128 levels deep, the store refuses more. */
export function freezeDeep(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  // Without a list of the members: ten thousand outputs are frozen ten times as fast on Node.js.
  const members = value as Readonly<Record<string, JsonValue>>;
  for (const name in members) {
    const member = members[name];
    if (typeof member === "object") freezeDeep(member);
  }
  return Object.freeze(value);
}
