import type { JsonValue } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type FrontmatterBlock,
  findFrontmatter,
  frontmatterSentence,
  parseFrontmatterBlock,
} from "@uncaged/workflow-util";
import { accept } from "../accept/index.js";
import type { Accept, ValidFrontmatter } from "./types.js";

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
export function readHeader(reply: string, check: Accept): Result<ValidFrontmatter, readonly string[]> {
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
