import { CAS_GET, type JsonObject } from "@uncaged/workflow-agent-kit";
import { done } from "./answer.js";
import type { Tool } from "./types.js";

const { function: described } = CAS_GET as { readonly function: JsonObject };

export const READ_NODE: Tool = {
  name: "cas_get",
  description: String(described.description),
  parameters: described.parameters as JsonObject,
  run: (given, { readNode, outputLimit }) => {
    const text = readNode(given);
    return done(
      text.length > outputLimit
        ? `${text.slice(0, outputLimit)}\n[cut off: ${text.length} characters]`
        : text,
    );
  },
};
