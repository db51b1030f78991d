import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type FrontmatterBlock,
  findFrontmatter,
  frontmatterSentence,
  parseFrontmatterBlock,
} from "@uncaged/workflow-util";
import { accept } from "./accept.js";

export type ValidFrontmatter = {
  /** The fields that the schema declares, and only those. */
  readonly value: JsonObject;
  /** The reply without its header. */
  readonly body: string;
};

type Lines = readonly string[];

/** The fields that count, or one line per violation. */
type Accept = (data: JsonObject) => Result<JsonObject, Lines>;

export type ExtractInput = {
  readonly accept: Accept;
  readonly reply: string;
  /**
   * Sends a message into the agent's session and returns its answer; an error is one line. `null`: there is no
   * session to continue.
   */
  readonly ask: ((message: string) => Promise<Result<string, string>>) | null;
  /** The extract by a model: the valid fields, or why there are none. */
  readonly llm: (reply: string) => Promise<Result<JsonObject, Lines>>;
};

export type Extracted = {
  readonly value: JsonObject;
  readonly by: "frontmatter" | "repair" | "llm";
};

/**
 * Layer 1: the structured output out of the reply's header, checked against the schema. A leading block of fields is
 * the header, valid or not; where prose comes first, the only valid block of the reply is. The error is one line per
 * violation.
 */
export function validateFrontmatter(
  schema: JsonValue,
  reply: string,
): Result<ValidFrontmatter, readonly string[]> {
  return readHeader(reply, (data) => accept(schema, data));
}

/** `validateFrontmatter` with the check as an argument. */
function readHeader(reply: string, check: Accept): Result<ValidFrontmatter, readonly string[]> {
  const found = findFrontmatter(reply);
  if (!found.ok) return err(found.error.map(frontmatterSentence));
  const candidates = found.value.map((block) => judge(check, block));
  const [first] = candidates;
  if (first === undefined) return err(["the reply has no frontmatter"]);
  if (found.value[0]?.leading === true && first.isMap) return first.result;
  const valid = candidates.flatMap(({ result }) => (result.ok ? [result.value] : []));
  const [only] = valid;
  if (only === undefined) return (candidates.find(({ isMap }) => isMap) ?? first).result;
  if (valid.length > 1)
    return err([`the reply has ${valid.length} valid headers, and none at its beginning`]);
  return ok(only);
}

type Judged = {
  /** Whether the block is a map of fields at all, and not a piece of text between two rules. */
  readonly isMap: boolean;
  readonly result: Result<ValidFrontmatter, readonly string[]>;
};

function judge(check: Accept, block: FrontmatterBlock): Judged {
  const data = parseFrontmatterBlock(block);
  if (!data.ok) return { isMap: false, result: err(data.error.map(frontmatterSentence)) };
  const accepted = check(data.value);
  return { isMap: true, result: accepted.ok ? ok({ value: accepted.value, body: block.body }) : accepted };
}

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

Send the complete header again: a reply whose first line is \`---\`, then every field as YAML, then a line \`---\`. Correct what is listed, keep the rest, and state only what is true of your work. The text after the header need not be repeated.`;
}
