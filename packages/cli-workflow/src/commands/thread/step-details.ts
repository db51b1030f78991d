import { resolveHash } from "@uncaged/json-cas";
import { err, fault, ok } from "@uncaged/workflow-protocol";
import { attempt, expandDetail, readChainNode } from "@uncaged/workflow-store";
import type { CommandContext, CommandResult } from "../types.js";
import { asMissingPart } from "./missing-part.js";

/** The detail node of a step, content and react nodes expanded; YAML unless JSON is asked for. */
export async function threadStepDetails(
  context: CommandContext,
  request: { readonly hash: string },
): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const { cas } = storage.value;
  const hash = attempt(() => resolveHash(cas, request.hash));
  if (!hash.ok) return hash;
  const node = readChainNode(cas, hash.value);
  if (!node.ok) return node;
  if (node.value.kind === "start") {
    return err(fault("WRONG_NODE_TYPE", { hash: hash.value, expected: "StepNode", got: "StartNode" }));
  }
  const detail = expandDetail(cas, node.value.payload.detail);
  if (!detail.ok) return asMissingPart(hash.value, "detail", detail.error);
  return ok({ kind: "document", value: detail.value, defaultFormat: "yaml" });
}
