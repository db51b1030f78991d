import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { frontmatterSentence, readHeader } from "@uncaged/workflow-util";
import { accept, type FieldNames, fieldNames, withField } from "./accept.js";

export type ValidFrontmatter = {
  /** The fields that the schema declares, and only those. */
  readonly value: JsonObject;
  /** The reply without its header. */
  readonly body: string;
};

type Lines = readonly string[];

/** The fields that count, or one line per violation. */
type Accept = (data: JsonObject) => Result<JsonObject, Lines>;

/** A reply, as far as its output is read out of it. */
export type ReplyText = {
  readonly text: string;
  /** Whether no byte of it was replaced. */
  readonly isExact: boolean;
};

type ExtractInput = {
  readonly accept: Accept;
  /** `null`: the schema names no field. */
  readonly fields: FieldNames | null;
  readonly reply: ReplyText;
  /**
   * Sends a message into the agent's session and returns its answer; an error is one line. `null`: there is no
   * session to continue.
   */
  readonly ask: ((message: string) => Promise<Result<ReplyText, string>>) | null;
  /** The extract by a model: the valid fields, or why there are none. */
  readonly llm: (reply: string) => Promise<Result<JsonObject, Lines>>;
};

export type Extracted = {
  readonly value: JsonObject;
  readonly by: "frontmatter" | "repair" | "llm";
};

/** Layer 1: the structured output out of the reply's header, checked against the schema. The error is one line per violation. */
export function validateFrontmatter(
  schema: JsonValue,
  reply: string,
): Result<ValidFrontmatter, readonly string[]> {
  return validHeader(reply, { accept: (data) => accept(schema, data), fields: fieldNames(schema) });
}

/** `validateFrontmatter` with the check as an argument. */
function validHeader(
  reply: string,
  { accept: check, fields }: Pick<ExtractInput, "accept" | "fields">,
): Result<ValidFrontmatter, readonly string[]> {
  const header = readHeader(reply, fields);
  if (!header.ok) return err(header.error.map(frontmatterSentence));
  const { data, body } = header.value;
  const accepted = withField(check(data), fields);
  return accepted.ok ? ok({ value: accepted.value, body }) : accepted;
}

const MOST_REPAIRS = 2;

/** The layers in order: frontmatter, the agent's own correction, a model. The error is one line per violation of each. */
export async function extract(input: ExtractInput): Promise<Result<Extracted, readonly string[]>> {
  const read = readText(input.reply, input);
  if (read.ok) return ok({ value: read.value.value, by: "frontmatter" });
  const repaired = await repair(input, read.error);
  if (repaired.ok) return ok({ value: repaired.value, by: "repair" });
  if (!input.reply.isExact) return repaired;
  const asked = withField(await input.llm(input.reply.text), input.fields);
  if (asked.ok) return ok({ value: asked.value, by: "llm" });
  return err([...repaired.error, ...asked.error.map((line) => `extract by a model: ${line}`)]);
}

function readText({ text, isExact }: ReplyText, input: ExtractInput): Result<ValidFrontmatter, Lines> {
  return isExact
    ? validHeader(text, input)
    : err(["the reply has bytes that are not UTF-8, in whose places U+FFFD stands: write it as UTF-8"]);
}

/** The newest violations, or the fields once an answer is valid. */
async function repair(
  input: ExtractInput,
  violations: readonly string[],
): Promise<Result<JsonObject, readonly string[]>> {
  let latest = violations;
  for (let round = 1; input.ask !== null && round <= MOST_REPAIRS; round += 1) {
    const answer = await input.ask(repairMessage(latest));
    if (!answer.ok) return err([...latest, `asking again failed: ${answer.error}`]);
    const read = readText(answer.value, input);
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
