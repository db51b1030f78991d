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
import { err, messageOf, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt, refusal } from "../attempt/index.js";
import { DETAIL_FIELDS, FIELD_TYPES, TYPE, typeName } from "../nodes/index.js";
import type { BrokenReference, LookOptions, Top } from "./types.js";

/** A node as it was reached; its field is put together when somebody has to be told. */
type Reached = {
  readonly hash: Hash;
  readonly referrer: Referrer;
  /** The type that the field asks for; `null`: any. */
  readonly expected: Hash | null;
};

type Referrer = { readonly node: CasNode; readonly at: Top | Reached };

/**
 * Follows the references of some nodes to the end, nearest first and each once, and tells which lead to what is
 * missing, damaged, against its own schema, or of another type than the field asks for.
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
    for (const [hash, expected] of withTypes(referrer.node, found)) {
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
    const sound = look(store, reached);
    if (!sound.ok) {
      broken.push({ ...placeIn(reached), hash: reached.hash, reason: sound.error });
      continue;
    }
    const { node, found } = sound.value;
    const isOwn = DETAIL_FIELDS.has(node.type);
    if (found.length > 0 && seen.size < most && (isOwn || !isOld(reached.hash))) {
      follow({ node, at: reached }, found);
    }
  }
  return broken;
}

type Sound = { readonly node: CasNode; readonly found: readonly Hash[] };

/** The node and its references, or what is wrong with it. */
function look(store: Store, { hash, expected }: Reached): Result<Sound, string> {
  try {
    const node = store.get(hash);
    if (node === null) return err("does not exist");
    if (expected !== null && node.type !== expected) {
      return err(`is a ${typeName(store, node.type)}, expected a ${typeName(store, expected)}`);
    }
    const violations = validate(store, node);
    if (violations.length > 0)
      return err(`violates its schema: ${violations.map(violationMessage).join("; ")}`);
    return ok({ node, found: refsOfNode(store, node) });
  } catch (error) {
    return err(`cannot be read: ${refusal(error)}`);
  }
}

/** A text refers to nothing: that needs no look at its schema. */
function refsOfNode(store: Store, node: CasNode): readonly Hash[] {
  return node.type === TYPE.content ? [] : refs(store, node);
}

/** The references of a node, each with every type that a field of it asks for. */
function withTypes(
  { type, payload }: CasNode,
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
