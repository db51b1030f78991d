import { argument } from "@uncaged/command-line";
import { err, fault } from "@uncaged/workflow-protocol";
import { expandDetail } from "@uncaged/workflow-store";
import { defineRootCommand, HASH } from "../../line/index.js";
import { renderDocument } from "../../render.js";
import { document } from "../output.js";
import { asMissingPart, readNamedNode, warnOfMissing } from "./nodes.js";

/** The detail node of a step, content and react nodes expanded. */
export const command = defineRootCommand({
  path: "thread step-details",
  summary: "print what happened inside a step",
  arguments: { hash: argument(HASH) },
  examples: ["uwf thread step-details 7YQ5C0QZ2T1VA"],
  sample: {
    line: "thread step-details 968RK709D8JWK",
    prints: `role: planner
agent: uwf-mock
…`,
  },
  run: async (context, request, storage) => {
    const found = readNamedNode(storage, request.hash);
    if (!found.ok) return found;
    const node = found.value;
    if (node.kind === "start")
      return err(fault("WRONG_NODE_TYPE", { hash: node.hash, expected: "StepNode", got: "StartNode" }));
    const detail = expandDetail(storage.cas, node.payload.detail, warnOfMissing(context, node.hash));
    if (!detail.ok) return asMissingPart(node.hash, "detail", detail.error);
    // A person reads texts: as YAML they are blocks, with their line breaks.
    return document(detail.value, () => renderDocument(detail.value, "yaml"));
  },
});
