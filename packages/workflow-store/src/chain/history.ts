import type { Hash, Store } from "@uncaged/json-cas";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { readChainNode, readStart, readStep, readWorkflow, type StepNode } from "../nodes/index.js";
import { asChainDamage, chainDamaged } from "./damage.js";
import type { OpenHistory } from "./types.js";

/**
 * Opens a thread's history at its head: the start, the workflow and the last step are read now, what lies before when
 * somebody asks for it. Whatever is missing, damaged or of the wrong kind where it is read is `CHAIN_DAMAGED`.
 */
export function openHistory(store: Store, head: Hash): Result<OpenHistory, Fault> {
  const first = readChainNode(store, head);
  if (!first.ok) return asChainDamage(head, head, "the head", first.error);
  const newest = first.value.kind === "step" ? first.value : null;
  const startHash = newest === null ? head : newest.payload.start;
  const start = readStart(store, startHash);
  if (!start.ok) return asChainDamage(head, startHash, "its start", start.error);
  const workflow = readWorkflow(store, start.value.payload.workflow);
  if (!workflow.ok) return asChainDamage(head, start.value.payload.workflow, "its workflow", workflow.error);
  const back = newest === null ? NO_STEPS : readerFrom(store, newest);
  return ok({ head, workflow: workflow.value, start: start.value, newest, ...back });
}

type Back = Pick<OpenHistory, "last" | "since">;

const NO_STEPS: Back = { last: () => ok([]), since: () => ok({ known: null, steps: [] }) };

/** Follows `prev` back, each node once, as far as it must. */
function readerFrom(store: Store, newest: StepNode): Back {
  const { read, prev, readOne } = walkFrom(store, newest);
  return {
    last: (count) => {
      while (prev() !== null && (count === null || read.length < count)) {
        const more = readOne();
        if (!more.ok) return more;
      }
      return ok(read.slice(0, count ?? read.length).reverse());
    },
    since: (isKnown) => {
      for (let index = 0; ; index += 1) {
        const hash = read[index]?.hash ?? prev();
        if (hash === null || isKnown(hash)) return ok({ known: hash, steps: read.slice(0, index).reverse() });
        const more = index < read.length ? ok(undefined) : readOne();
        if (!more.ok) return more;
      }
    },
  };
}

type Walk = {
  /** Newest first. */
  readonly read: readonly StepNode[];
  /** What stands before the last of them. */
  readonly prev: () => Hash | null;
  /** Reads that one. */
  readonly readOne: () => Result<void, Fault>;
};

/** Iterative; `seen` ends even a chain that a broken store bends into a ring. */
function walkFrom(store: Store, newest: StepNode): Walk {
  const read: StepNode[] = [newest];
  const seen = new Set<Hash>([newest.hash]);
  let prev = newest.payload.prev;
  const readOne = (): Result<void, Fault> => {
    if (prev === null) return ok(undefined);
    if (seen.has(prev)) return chainDamaged(newest.hash, prev, "the chain comes back to it");
    const step = readStep(store, prev);
    if (!step.ok) return asChainDamage(newest.hash, prev, "an earlier step", step.error);
    if (step.value.payload.start !== newest.payload.start) {
      return chainDamaged(newest.hash, prev, `it belongs to the start ${step.value.payload.start}`);
    }
    seen.add(prev);
    read.push(step.value);
    prev = step.value.payload.prev;
    return ok(undefined);
  };
  return { read, prev: () => prev, readOne };
}
