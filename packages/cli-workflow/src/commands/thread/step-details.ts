import { err, fault } from "@uncaged/workflow-protocol";
import { expandDetail } from "@uncaged/workflow-store";
import type { CommandContext, CommandResult } from "../../line/index.js";
import { renderDocument } from "../../render.js";
import { document } from "../output.js";
import { asMissingPart, readNamedNode, warnOfMissing } from "./nodes.js";

/** The detail node of a step, content and react nodes expanded. */
export async function threadStepDetails(
  context: CommandContext,
  request: { readonly hash: string },
): CommandResult {
  const found = readNamedNode(context, request.hash);
  if (!found.ok) return found;
  const { storage, node } = found.value;
  if (node.kind === "start") {
    return err(fault("WRONG_NODE_TYPE", { hash: node.hash, expected: "StepNode", got: "StartNode" }));
  }
  const detail = expandDetail(storage.cas, node.payload.detail, warnOfMissing(context, node.hash));
  if (!detail.ok) return asMissingPart(node.hash, "detail", detail.error);
  // A person reads texts: as YAML they are blocks, with their line breaks.
  return document(detail.value, () => renderDocument(detail.value, "yaml"));
}
