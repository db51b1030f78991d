import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isObject } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { findFrontmatter, frontmatterSentence } from "./find.js";
import { plainValue } from "./plain.js";
import type { Frontmatter, FrontmatterBlock, FrontmatterProblem } from "./types.js";
import { readYaml, type YamlFault } from "./yaml.js";

/** At most this many problems of one block are reported. */
const MAX_PROBLEMS = 10;

/** The block's fields: a map of plain JSON values, nothing coerced. Dates and `no` are texts. */
export function parseFrontmatterBlock(
  block: FrontmatterBlock,
): Result<JsonObject, readonly FrontmatterProblem[]> {
  const { documents, faults, lineAt } = readYaml(block.yaml);
  const fail = (found: readonly YamlFault[]): Result<never, readonly FrontmatterProblem[]> =>
    err(
      found
        .slice(0, MAX_PROBLEMS)
        .map((one) => ({ line: block.line + lineAt(one.offset), message: one.message })),
    );
  if (faults.length > 0) return fail(faults);
  const plain = plainValue(documents[0]?.contents ?? null);
  if (plain.faults.length > 0) return fail(plain.faults);
  if (isObject(plain.value)) return ok(plain.value);
  return err([
    { line: block.line, message: `the frontmatter must be a map of fields, found ${kindOf(plain.value)}` },
  ]);
}

/**
 * The frontmatter of a reply and the rest: the leading block, or after prose the only block that is a map of fields.
 * The errors are sentences with the reply's line numbers.
 */
export function parseFrontmatterMarkdown(reply: string): Result<Frontmatter, readonly string[]> {
  const found = findFrontmatter(reply);
  if (!found.ok) return err(found.error.map(frontmatterSentence));
  const [first] = found.value;
  const candidates = first?.leading === true ? [first] : found.value;
  const parsed = candidates.map((block) => ({ block, data: parseFrontmatterBlock(block) }));
  const good = parsed.flatMap(({ block, data }) => (data.ok ? [{ data: data.value, body: block.body }] : []));
  const [only] = good;
  if (only !== undefined && good.length === 1) return ok(only);
  if (only !== undefined)
    return err([`the reply has ${good.length} blocks between lines --- that can be its frontmatter`]);
  return err(
    parsed
      .flatMap(({ data }) => (data.ok ? [] : data.error))
      .slice(0, MAX_PROBLEMS)
      .map(frontmatterSentence),
  );
}

function kindOf(value: JsonValue): string {
  if (value === null) return "nothing";
  return Array.isArray(value)
    ? "a list"
    : `${typeof value === "string" ? "the text" : "the value"} ${cut(JSON.stringify(value))}`;
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
