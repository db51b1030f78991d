import {
  builtInTypes,
  CasError,
  type CasNode,
  FOREIGN_ROOTS,
  getSchema,
  type Hash,
  placeOf,
  refs,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import { isForeignSchema } from "../store/index.js";
import type { StoreProblem } from "./types.js";

export type NodeProblem = Pick<StoreProblem, "kind" | "message">;

export type CheckedNode = {
  readonly problems: readonly NodeProblem[];
  readonly references: number;
  readonly isIndexed: boolean;
};

export type IsIndexed = (type: Hash, hash: Hash) => boolean;

/** Everything that can be wrong with one node that was read, and with its place in the index. */
export function checkNode(
  store: Store,
  hash: Hash,
  node: CasNode | { readonly damage: string },
  isIndexed: IsIndexed,
): CheckedNode {
  if ("damage" in node) {
    // How the original hashed its own root is unknown, and nothing here needs its content.
    if (FOREIGN_ROOTS.has(hash)) return { problems: [], references: 0, isIndexed: isIndexed(hash, hash) };
    return { problems: [{ kind: "damaged", message: node.damage }], references: 0, isIndexed: false };
  }
  const { problems, references } = checkContent(store, node);
  if (isIndexed(node.type, hash)) return { problems, references, isIndexed: true };
  const message = `it is missing from the index of its type ${node.type}`;
  return { problems: [...problems, { kind: "not-indexed", message }], references, isIndexed: false };
}

function checkContent(
  store: Store,
  node: CasNode,
): { readonly problems: readonly NodeProblem[]; readonly references: number } {
  if (isForeignSchema(store, node)) return { problems: [], references: 0 };
  if (!hasSchema(store, node.type)) {
    const message = `its type ${node.type} is not a schema in this store`;
    return { problems: [{ kind: "unknown-type", message }], references: 0 };
  }
  const problems: NodeProblem[] = [];
  const violations = validate(store, node);
  if (violations.length > 0) {
    problems.push({
      kind: "invalid",
      message: `it violates its schema: ${violations.map(violationMessage).join("; ")}`,
    });
  }
  const found = refs(store, node);
  const missing = found.filter((reference) => !isThere(store, reference));
  if (missing.length > 0) {
    const verb = missing.length === 1 ? "does" : "do";
    problems.push({
      kind: "dangling",
      message: `it refers to ${missing.map((reference) => `${reference} (${placeOf(node.payload, reference)})`).join(", ")}, which ${verb} not exist`,
    });
  }
  return { problems, references: found.length };
}

/** An entry that is not a file is damage, which has its own finding. */
function isThere(store: Store, hash: Hash): boolean {
  try {
    return store.has(hash);
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED") return true;
    throw error;
  }
}

/** The node, or what is wrong with it, as the end of a sentence; `null` if there is none. */
export function readOrDamage(store: Store, hash: Hash): CasNode | { readonly damage: string } | null {
  try {
    return store.get(hash);
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED")
      return { damage: error.fault.reason };
    throw error;
  }
}

/** A schema that exists but is damaged has its own finding. */
function hasSchema(store: Store, type: Hash): boolean {
  const found = readOrDamage(store, type);
  if (found === null || builtInTypes.has(type)) return found !== null;
  return !("damage" in found) && getSchema(store, type) !== null;
}
