import { type Finding, type Hash, refs, type Store, verifyNode, violationMessage } from "@uncaged/json-cas";
import type { StoreProblem } from "./types.js";

export type Fault = Pick<StoreProblem, "kind" | "message">;

export type CheckedNode = {
  readonly faults: readonly Fault[];
  readonly references: number;
  readonly isIndexed: boolean;
};

/** Everything that can be wrong with one node and its place in the index; `null` when it vanished meanwhile. */
export function checkNode(
  store: Store,
  hash: Hash,
  isIndexed: (type: Hash, hash: Hash) => boolean,
): CheckedNode | null {
  const findings = verifyNode(store, hash);
  const faults = findings.map((finding) => ({ kind: finding.kind, message: messageOf(finding) }));
  const found = new Set(findings.map((finding) => finding.kind));
  if (found.has("missing")) return null;
  if (found.has("damaged") || found.has("wrong-hash")) return { faults, references: 0, isIndexed: false };
  const node = store.get(hash);
  if (node === null) return null;
  const references = found.has("unknown-type") ? 0 : refs(store, node).length;
  if (isIndexed(node.type, hash)) return { faults, references, isIndexed: true };
  const message = `it is missing from the index of its type ${node.type}`;
  return { faults: [...faults, { kind: "not-indexed", message }], references, isIndexed: false };
}

function messageOf(finding: Finding): string {
  switch (finding.kind) {
    case "missing":
      return "it does not exist";
    case "damaged":
      return finding.reason;
    case "wrong-hash":
      return "its content has another hash";
    case "unknown-type":
      return `its type ${finding.type} is not a schema in this store`;
    case "invalid":
      return `it violates its schema: ${finding.violations.map(violationMessage).join("; ")}`;
    case "dangling":
      return `it refers to ${finding.missing.join(", ")}, which ${finding.missing.length === 1 ? "does" : "do"} not exist`;
  }
}
