import type { JsonObject } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { readHeader } from "./frontmatter.js";
import type { Extracted, ExtractInput } from "./types.js";

const MOST_REPAIRS = 2;

/** The layers in order: frontmatter, the agent's own correction, a model. The error is one line per violation of each. */
export async function extract(input: ExtractInput): Promise<Result<Extracted, readonly string[]>> {
  const read = readHeader(input.reply, input.accept);
  if (read.ok) return ok({ value: read.value.value, by: "frontmatter" });
  const repaired = await repair(input, read.error);
  if (repaired.ok) return ok({ value: repaired.value, by: "repair" });
  const asked = await input.llm(input.reply);
  if (asked.ok) return ok({ value: asked.value, by: "llm" });
  return err([...repaired.error, ...asked.error.map((line) => `extract by a model: ${line}`)]);
}

/** The newest violations, or the fields once an answer is valid. */
async function repair(
  { accept, ask }: ExtractInput,
  violations: readonly string[],
): Promise<Result<JsonObject, readonly string[]>> {
  let latest = violations;
  for (let round = 1; ask !== null && round <= MOST_REPAIRS; round += 1) {
    const answer = await ask(repairMessage(latest));
    if (!answer.ok) return err([...latest, `asking again failed: ${answer.error}`]);
    const read = readHeader(answer.value, accept);
    if (read.ok) return ok(read.value.value);
    latest = read.error;
  }
  return err(latest);
}

function repairMessage(violations: readonly string[]): string {
  return `The header of your reply is not valid:

${violations.map((line) => `- ${line}`).join("\n")}

Send the whole header again: a reply whose first line is \`---\`, then every field as YAML, then a line \`---\`. Correct what is listed, keep the rest, and state only what is true of your work. The text after the header need not be repeated.`;
}
