import type { Hash } from "@uncaged/json-cas";
import { err, type Fault, fault, messageOf, type Result } from "@uncaged/workflow-protocol";

export function chainDamaged(head: Hash, node: Hash, reason: string): Result<never, Fault> {
  return err(fault("CHAIN_DAMAGED", { head, node, reason }));
}

/**
 * A node that the history needs is not usable: that is damage (exit 7), whatever the reader called it. Faults that
 * are not about the node's content (no permission, disk trouble) stay what they are.
 */
export function asChainDamage(head: Hash, node: Hash, role: string, cause: Fault): Result<never, Fault> {
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
    case "UNSUPPORTED_FORMAT":
      return err(cause);
    default:
      return chainDamaged(head, node, `${role}: ${messageOf(cause)}`);
  }
}
