import type { JsonValue } from "@uncaged/json-cas";
import { findFrontmatter } from "@uncaged/workflow-util";

/** A reply without its header, which the structured output repeats; the whole reply where the header is not evident. */
export function replyBody(reply: string, output: JsonValue): string {
  const found = findFrontmatter(reply);
  const block = found.ok ? found.value[0] : undefined;
  if (block?.leading !== true || typeof output !== "object" || output === null) return reply;
  const lines = block.yaml.split("\n");
  const states = (key: string): boolean =>
    lines.some((line) => line.startsWith(`${key}:`) || line.startsWith(`${JSON.stringify(key)}:`));
  return Object.keys(output).some(states) ? block.body : reply;
}
