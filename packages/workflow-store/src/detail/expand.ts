import {
  type CasNode,
  type Hash,
  isHash,
  type JsonObject,
  type JsonValue,
  type Store,
} from "@uncaged/json-cas";
import { err, type Fault, fault, messageOf, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { DETAIL_FIELDS, TYPE } from "../nodes/index.js";

/** Steps of other threads, one inside the other, are expanded so deep. */
const MOST_THREADS = 4;

/** A node that is not there, or cannot be read. It stands in the place of its content. */
export type MissingPart = {
  readonly missing: Hash;
  /** The end of a sentence about it. */
  readonly reason: string;
};

type Look = { readonly store: Store; readonly tell: (part: MissingPart) => void; readonly threads: number };

/**
 * The payload of a detail node with its content and react nodes put in place, and of another thread's step its output
 * and its detail; every other reference stays a hash. What is missing below stands there as that, and is told.
 */
export function expandDetail(
  store: Store,
  hash: Hash,
  tell: (part: MissingPart) => void = () => {},
): Result<JsonValue, Fault> {
  const root = attempt(() => store.get(hash));
  if (!root.ok) return root;
  if (root.value === null) return err(fault("NODE_MISSING", { hash, referrer: null }));
  return expandNode({ store, tell, threads: 0 }, root.value);
}

function expandNode(look: Look, node: CasNode): Result<JsonValue, Fault> {
  const { type, payload } = node;
  if (!isObject(payload)) return ok(payload);
  if (type === TYPE.stepNode) return expandStep(look, payload);
  const rules = DETAIL_FIELDS.get(type);
  if (rules === undefined) return ok(payload);
  return expandMembers(payload, (key, value) => {
    const expected = rules.get(key);
    return expected === undefined ? ok(value) : expandEach(look, value, (node) => node.type === expected);
  });
}

function expandStep(look: Look, payload: JsonObject): Result<JsonValue, Fault> {
  if (look.threads === MOST_THREADS) return ok(payload);
  const inside = { ...look, threads: look.threads + 1 };
  return expandMembers(payload, (key, value) => {
    if (key === "output") return put(look, value, ({ payload: output }) => ok(output));
    return key === "detail" ? put(look, value, (node) => expandNode(inside, node)) : ok(value);
  });
}

function expandMembers(
  payload: JsonObject,
  expand: (key: string, value: JsonValue) => Result<JsonValue, Fault>,
): Result<JsonValue, Fault> {
  const expanded: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(payload)) {
    const member = expand(key, value);
    if (!member.ok) return member;
    expanded.push([key, member.value]);
  }
  return ok(Object.fromEntries(expanded));
}

/** A reference, or a list of references. One to another kind of node than belongs there stays a hash. */
function expandEach(
  look: Look,
  value: JsonValue,
  belongs: (node: CasNode) => boolean,
): Result<JsonValue, Fault> {
  const one = (item: JsonValue): Result<JsonValue, Fault> =>
    put(look, item, (node) => (belongs(node) ? expandNode(look, node) : ok(item)));
  if (!Array.isArray(value)) return one(value);
  const members: JsonValue[] = [];
  for (const item of value) {
    const member = one(item);
    if (!member.ok) return member;
    members.push(member.value);
  }
  return ok(members);
}

/** What `expand` makes of the node that a value refers to. */
function put(
  { store, tell }: Look,
  value: JsonValue,
  expand: (node: CasNode) => Result<JsonValue, Fault>,
): Result<JsonValue, Fault> {
  if (!isHash(value)) return ok(value);
  const node = attempt(() => store.get(value));
  if (node.ok && node.value !== null) return expand(node.value);
  if (!node.ok && node.error.code !== "NODE_DAMAGED") return node;
  const part = { missing: value, reason: node.ok ? "does not exist" : messageOf(node.error) };
  tell(part);
  return ok(part);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
