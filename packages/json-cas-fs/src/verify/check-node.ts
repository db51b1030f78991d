import {
  CasError,
  type CasNode,
  getSchema,
  type Hash,
  refs,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import type { StoreProblem } from "./types.js";

export type Finding = Pick<StoreProblem, "kind" | "message">;

export type CheckedNode = {
  readonly findings: readonly Finding[];
  readonly references: number;
  readonly isIndexed: boolean;
};

/**
 * Everything that can be wrong with one node; `null` when it vanished meanwhile.
 * `schemas` is the same store, remembering the schemas; `isIndexed` says whether a type's index names a node.
 */
export function checkNode(
  store: Store,
  schemas: Store,
  hash: Hash,
  isIndexed: (type: Hash, hash: Hash) => boolean,
): CheckedNode | null {
  const node = damageOr(() => store.get(hash));
  if (node === null) return null;
  if ("damage" in node) {
    return { findings: [{ kind: "damaged", message: node.damage }], references: 0, isIndexed: false };
  }
  const indexed = isIndexed(node.type, hash);
  const index: readonly Finding[] = indexed
    ? []
    : [{ kind: "not-indexed", message: `it is missing from the index of its type ${node.type}` }];
  const schema = checkSchema(schemas, node);
  if (schema !== null) return { findings: [schema, ...index], references: 0, isIndexed: indexed };
  const references = refs(schemas, node);
  const findings = [...checkPayload(schemas, node), ...checkReferences(store, references), ...index];
  return { findings, references: references.length, isIndexed: indexed };
}

function checkSchema(schemas: Store, node: CasNode): Finding | null {
  const schema = damageOr(() => getSchema(schemas, node.type));
  const isThere = schema !== null && !(typeof schema === "object" && "damage" in schema);
  if (isThere) return null;
  return { kind: "missing-type", message: `its type ${node.type} is not a schema in this store` };
}

function checkPayload(schemas: Store, node: CasNode): readonly Finding[] {
  const violations = validate(schemas, node);
  if (violations.length === 0) return [];
  const list = violations.map(violationMessage).join("; ");
  return [{ kind: "violates-schema", message: `it violates its schema ${node.type}: ${list}` }];
}

function checkReferences(store: Store, references: readonly Hash[]): readonly Finding[] {
  // A target that is there but damaged is a finding of its own.
  return references
    .filter((target) => damageOr(() => store.has(target)) === false)
    .map((target) => ({
      kind: "missing-reference",
      message: `it refers to ${target}, which does not exist`,
    }));
}

type Damage = { readonly damage: string };

function damageOr<T>(action: () => T): T | Damage {
  try {
    return action();
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED")
      return { damage: error.fault.reason };
    throw error;
  }
}
