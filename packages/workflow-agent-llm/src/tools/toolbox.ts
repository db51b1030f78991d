import { CAS_GET, type CompletionToolCall, isObject, type JsonObject } from "@uncaged/workflow-agent-kit";
import { PATCH_FILE, READ_FILE, WRITE_FILE } from "./files.js";
import { SHELL_EXEC } from "./shell-exec.js";
import type { Answer, Tool, Workshop } from "./types.js";
import { done, parametersOf, refused, textIn } from "./types.js";

const { function: described } = CAS_GET as { readonly function: JsonObject };

const READ_NODE: Tool = {
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

const PUT_TEXT: Tool = {
  name: "cas_put",
  description:
    "Stores a text in the content-addressed store and returns its hash, for a field that takes the hash of a stored node.",
  parameters: parametersOf({ text: { type: "string" } }, ["text"]),
  run: async (given, { putText }) => {
    const text = textIn(given, "text");
    return text === null ? refused("text must be a string") : done(await putText(text));
  },
};

export const TOOLS: readonly Tool[] = [READ_FILE, WRITE_FILE, PATCH_FILE, SHELL_EXEC, READ_NODE, PUT_TEXT];

/** Tools in the API's format. */
export function describeTools(tools: readonly Tool[]): readonly JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

/** The result of a call; an invalid one gets a sentence. */
export async function callTool(
  tools: readonly Tool[],
  { name, arguments: given, raw }: CompletionToolCall,
  shop: Workshop,
): Promise<Answer> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined)
    return refused(`there is no tool "${name}"; the tools are ${tools.map((one) => one.name).join(", ")}`);
  if (!isObject(given))
    return refused(`the arguments of ${name} are not a JSON object: ${raw.slice(0, 200)}`);
  const answer = await tool.run(given, shop);
  return { ...answer, result: shop.conceal(answer.result) };
}
