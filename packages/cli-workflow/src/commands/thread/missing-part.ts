import { err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";

/** A node that a step refers to and that is gone: the history is damaged (7), nobody asked for that node by name (3). */
export function asMissingPart(step: string, part: string, failure: Fault): Result<never, Fault> {
  if (failure.code !== "NODE_MISSING") return err(failure);
  return err(
    fault("CHAIN_DAMAGED", { head: step, node: failure.hash, reason: `its ${part} does not exist` }),
  );
}
