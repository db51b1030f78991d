import type { CompletionToolCall, JsonObject, JsonValue } from "@uncaged/workflow-agent-kit";
import { refused } from "./answer.js";
import { READ_NODE } from "./cas-get.js";
import { PUT_TEXT } from "./cas-put.js";
import { PATCH_FILE } from "./patch-file.js";
import { READ_FILE } from "./read-file.js";
import { SHELL_EXEC } from "./shell-exec.js";
import type { Answer, Tool, Workshop } from "./types.js";
import { WRITE_FILE } from "./write-file.js";

export const TOOLS: readonly Tool[] = [READ_FILE, WRITE_FILE, PATCH_FILE, SHELL_EXEC, READ_NODE, PUT_TEXT];

/** Tools in the form of the API. */
export function describeTools(tools: readonly Tool[]): readonly JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

/** What a call gives; one that makes no sense is answered in words. */
export async function callTool(
  tools: readonly Tool[],
  { name, arguments: given, raw }: CompletionToolCall,
  shop: Workshop,
): Promise<Answer> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined)
    return refused(`there is no tool "${name}"; there are ${tools.map((one) => one.name).join(", ")}`);
  if (!isObject(given)) return refused(`the arguments of ${name} are no JSON object: ${raw.slice(0, 200)}`);
  const answer = await tool.run(given, shop);
  return { ...answer, result: shop.conceal(answer.result) };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
