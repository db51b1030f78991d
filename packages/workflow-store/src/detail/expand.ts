import {
  type CasNode,
  type Hash,
  isHash,
  type JsonObject,
  type JsonValue,
  type Store,
} from "@uncaged/json-cas";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { DETAIL_FIELDS } from "../nodes/index.js";

/** The payload of a detail node with its content and react nodes put in place; every other reference stays a hash. */
export function expandDetail(store: Store, hash: Hash): Result<JsonValue, Fault> {
  const root = attempt(() => store.get(hash));
  if (!root.ok) return root;
  if (root.value === null) return err(fault("NODE_MISSING", { hash, referrer: null }));
  return expandNode(store, hash, root.value);
}

function expandNode(store: Store, hash: Hash, node: CasNode): Result<JsonValue, Fault> {
  const rules = DETAIL_FIELDS.get(node.type);
  const { payload } = node;
  if (rules === undefined || !isObject(payload)) return ok(payload);
  const expanded: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(payload)) {
    const type = rules.get(key);
    const member = type === undefined ? ok(value) : expandMember(store, hash, value, type);
    if (!member.ok) return member;
    expanded.push([key, member.value]);
  }
  return ok(Object.fromEntries(expanded));
}

/** A reference, or a list of references. */
function expandMember(store: Store, referrer: Hash, value: JsonValue, type: Hash): Result<JsonValue, Fault> {
  if (!Array.isArray(value)) return expandReference(store, referrer, value, type);
  const members: JsonValue[] = [];
  for (const item of value) {
    const member = expandReference(store, referrer, item, type);
    if (!member.ok) return member;
    members.push(member.value);
  }
  return ok(members);
}

function expandReference(
  store: Store,
  referrer: Hash,
  value: JsonValue,
  type: Hash,
): Result<JsonValue, Fault> {
  if (!isHash(value)) return ok(value);
  const node = attempt(() => store.get(value));
  if (!node.ok) return node;
  if (node.value === null) {
    return err(fault("CHAIN_DAMAGED", { head: referrer, node: value, reason: "it does not exist" }));
  }
  return node.value.type === type ? expandNode(store, value, node.value) : ok(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
