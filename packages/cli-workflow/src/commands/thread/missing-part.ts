import { err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import type { MissingPart } from "@uncaged/workflow-store";
import type { CommandContext } from "../types.js";

/** A node that a step refers to and that is gone: the history is damaged (7), nobody asked for that node by name (3). */
export function asMissingPart(step: string, part: string, failure: Fault): Result<never, Fault> {
  if (failure.code !== "NODE_MISSING") return err(failure);
  return err(
    fault("CHAIN_DAMAGED", { head: step, node: failure.hash, reason: `its ${part} does not exist` }),
  );
}

/** For what is left out of a step that is shown all the same. */
export function warnOfMissing({ warn }: CommandContext, step: string): (part: MissingPart) => void {
  return ({ missing, reason }) =>
    warn(`step ${step} is shown without node ${missing}: ${told(missing, reason)}`);
}

/** The sentence about a damaged node names it already. */
function told(missing: string, reason: string): string {
  return reason.includes(missing) ? reason : `it ${reason}`;
}
