import {
  type CasNode,
  type Hash,
  isHash,
  placeOf,
  refs,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import {
  type CasRef,
  err,
  type Fault,
  messageOf,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt, refusal } from "./attempt.js";
import { type OpenHistory, openHistory } from "./chain.js";
import { DETAIL_FIELDS, FIELD_TYPES, isOfType, type StepNode, TYPE, typeName } from "./nodes.js";
import type { Storage } from "./storage.js";
import { listThreads } from "./threads/index.js";

/** Where following references starts: a node that was read and found sound, and the prefix of its field names. */
export type Top = {
  readonly name: string;
  /** `null`: it is not stored yet. */
  readonly hash: Hash | null;
  readonly node: CasNode;
};

/** A reference that leads nowhere, or to something else than it should. */
type BrokenReference = {
  /** From the top on: `output/phases/0`, `detail/turns/3/toolCalls/0/result`. */
  readonly field: string;
  readonly hash: Hash;
  /** The node that refers to it; `null`: the top, which is not stored yet. */
  readonly referrer: Hash | null;
  /** The end of a sentence about the node: `does not exist`. */
  readonly reason: string;
};

type LookOptions = {
  /** What has been checked; grows. A caller with several starting points passes the same one. */
  readonly seen: Set<string>;
  /** Whether everything that a node reaches was looked at before; asked of nodes that refer to others. */
  readonly isOld: (hash: Hash) => boolean;
  /** After this many nodes no further reference is followed. */
  readonly most: number;
};

/** A node as it was reached; its field name is built when it has to be reported. */
type Reached = {
  readonly hash: Hash;
  readonly referrer: Referrer;
  /** The type that the field asks for; `null`: any. */
  readonly expected: Hash | null;
};

type Referrer = { readonly node: CasNode; readonly at: Top | Reached };

/**
 * Follows the references of some nodes to the end, nearest first and each once, and reports which lead to nodes
 * that are missing, damaged, invalid under their own schema, or of another type than the field requires.
 */
export function brokenReferences(
  store: Store,
  tops: readonly Top[],
  { seen, isOld, most }: LookOptions,
): readonly BrokenReference[] {
  const broken: BrokenReference[] = [];
  // Walked while it grows.
  const queue: Reached[] = [];
  const follow = (referrer: Referrer, found: readonly Hash[]): void => {
    for (const [hash, expected] of withTypes(referrer, found)) {
      const key = `${hash}${expected ?? ""}`;
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push({ hash, expected, referrer });
    }
  };
  for (const top of tops) {
    const found = attempt(() => refsOfNode(store, top.node));
    if (found.ok) follow({ node: top.node, at: top }, found.value);
    else if (top.hash !== null) {
      const reason = `cannot be followed: ${messageOf(found.error)}`;
      broken.push({ field: top.name, hash: top.hash, referrer: null, reason });
    }
  }
  for (const reached of queue) {
    const looked = readSound(store, reached);
    if (!looked.ok) {
      broken.push({ ...placeIn(reached), hash: reached.hash, reason: looked.error });
      continue;
    }
    const { node, references } = looked.value;
    const isOwn = DETAIL_FIELDS.has(node.type);
    if (references.length > 0 && seen.size < most && (isOwn || !isOld(reached.hash))) {
      follow({ node, at: reached }, references);
    }
  }
  return broken;
}

type SoundNode = { readonly node: CasNode; readonly references: readonly Hash[] };

/** The node and its references, or what is wrong with it. */
function readSound(store: Store, { hash, expected }: Reached): Result<SoundNode, string> {
  try {
    const node = store.get(hash);
    if (node === null) return err("does not exist");
    if (expected !== null && !isOfType(node.type, expected)) {
      return err(`is a ${typeName(store, node.type)}, expected a ${typeName(store, expected)}`);
    }
    const violations = validate(store, node);
    if (violations.length > 0)
      return err(`violates its schema: ${violations.map(violationMessage).join("; ")}`);
    return ok({ node, references: refsOfNode(store, node) });
  } catch (error) {
    return err(`cannot be read: ${refusal(error)}`);
  }
}

/** They refer to nothing: their schemas need not be read. */
const LEAVES: ReadonlySet<Hash> = new Set([TYPE.content, TYPE.file, TYPE.fileChunk]);

function refsOfNode(store: Store, node: CasNode): readonly Hash[] {
  return LEAVES.has(node.type) ? [] : refs(store, node);
}

/** The references of a node, each with every type that a field of it asks for. */
function withTypes(
  { node: { type, payload } }: Referrer,
  found: readonly Hash[],
): readonly (readonly [Hash, Hash | null])[] {
  const fields = FIELD_TYPES.get(type);
  if (fields === undefined || typeof payload !== "object" || payload === null) {
    return found.map((hash) => [hash, null]);
  }
  const asked = Object.entries(payload).flatMap(([name, value]) => {
    const expected = fields.get(name);
    const hashes: readonly unknown[] = Array.isArray(value) ? value : [value];
    return expected === undefined ? [] : hashes.filter(isHash).map((hash) => [hash, expected] as const);
  });
  const isAsked = new Set(asked.map(([hash]) => hash));
  return [...asked, ...found.filter((hash) => !isAsked.has(hash)).map((hash) => [hash, null] as const)];
}

function placeIn(reached: Reached): Pick<BrokenReference, "field" | "referrer"> {
  return { field: fieldOf(reached), referrer: reached.referrer.at.hash };
}

function fieldOf({ hash, referrer: { node, at } }: Reached): string {
  const parent = "name" in at ? at.name : fieldOf(at);
  return `${parent}${placeOf(node.payload, hash)}`;
}

/**
 * Whether a node has already been recorded by a thread: its start, a step, a step's output or detail. Steps before
 * the last are read only if it is none of those already loaded.
 */
export function recordedIn(history: OpenHistory): (hash: CasRef) => boolean {
  const { start, newest } = history;
  const atHand = new Set<CasRef>([
    start.hash,
    start.payload.workflow,
    ...(newest === null ? [] : [newest.hash]),
  ]);
  let all: ReadonlySet<CasRef> | null = null;
  return (hash) => {
    if (atHand.has(hash)) return true;
    all ??= allRecorded(history);
    return all.has(hash);
  };
}

/** A history that cannot be read says nothing: then more is looked at. */
function allRecorded({ last }: OpenHistory): ReadonlySet<CasRef> {
  const steps = last(null);
  if (!steps.ok) return new Set();
  return new Set(steps.value.flatMap(({ hash, payload }) => [hash, payload.output, payload.detail]));
}

/** A reference of a recorded step that leads nowhere. */
export type BrokenInThread = BrokenReference & {
  readonly thread: ThreadId;
  readonly step: CasRef;
  readonly role: string;
};

type BrokenInThreads = {
  readonly broken: readonly BrokenInThread[];
  /** Whether everything was looked at. */
  readonly isWhole: boolean;
};

/**
 * What is wrong with the references of all threads' steps, each step once, with the first thread that has it.
 * Checks about `most` nodes. A history that cannot be read is skipped: reading the thread reports it.
 */
export async function brokenInThreads(
  storage: Storage,
  most: number,
): Promise<Result<BrokenInThreads, Fault>> {
  const threads = await listThreads(storage, { all: true });
  if (!threads.ok) return threads;
  const { cas } = storage;
  const seen = new Set<string>();
  const steps = new Set<CasRef>();
  const broken: BrokenInThread[] = [];
  for (const { thread, head } of threads.value) {
    const history = openHistory(cas, head);
    const since = history.ok ? history.value.since((hash) => steps.has(hash)) : history;
    if (!since.ok) continue;
    for (const step of since.value.steps) {
      steps.add(step.hash);
      if (seen.size >= most) return ok({ broken, isWhole: false });
      const { role } = step.payload;
      for (const found of findBroken(storage, step, seen, most)) {
        broken.push({ thread, step: step.hash, role, ...found });
      }
    }
  }
  return ok({ broken, isWhole: seen.size < most });
}

function findBroken(
  { cas }: Storage,
  { hash: referrer, payload }: StepNode,
  seen: Set<string>,
  most: number,
): readonly BrokenReference[] {
  const broken: BrokenReference[] = [];
  const tops: Top[] = [];
  for (const name of ["output", "detail"] as const) {
    const hash = payload[name];
    const node: Result<CasNode | null, Fault> = attempt(() => cas.get(hash));
    if (node.ok && node.value !== null) tops.push({ name, hash, node: node.value });
    else {
      const reason = node.ok ? "does not exist" : `cannot be read: ${messageOf(node.error)}`;
      broken.push({ field: name, hash, referrer, reason });
    }
  }
  return [...broken, ...brokenReferences(cas, tops, { seen, isOld: () => false, most })];
}
