import { CasError, isObject, type JsonObject, type JsonValue, parseJson } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { blockTooLarge, type FrontmatterBlock, type FrontmatterProblem } from "./find.js";
import { plainValue, readYaml, type YamlFault } from "./yaml.js";

/** At most this many problems of one block are reported. */
const MAX_PROBLEMS = 10;

/** The block's fields: a map of plain JSON values, nothing coerced. Dates and `no` are texts. */
export function parseFrontmatterBlock(
  block: FrontmatterBlock,
): Result<JsonObject, readonly FrontmatterProblem[]> {
  const large = blockTooLarge(block);
  if (large !== null) return err([large]);
  const { documents, faults, lineAt } = readYaml(block.yaml);
  const fail = (found: readonly YamlFault[]): Result<never, readonly FrontmatterProblem[]> =>
    err(
      found
        .slice(0, MAX_PROBLEMS)
        .map((one) => ({ line: block.line + lineAt(one.offset), message: one.message })),
    );
  if (faults.length > 0) return fail(faults);
  const plain = plainValue(documents[0]?.contents ?? null, block.yaml);
  if (plain.faults.length > 0) return fail(plain.faults);
  if (isObject(plain.value)) return ok(plain.value);
  return err([
    {
      line: block.line || null,
      message: `the frontmatter must be a map of fields, found ${kindOf(plain.value)}`,
    },
  ]);
}

/** The fields of a text without lines `---`: one JSON object, as a program writes it, or YAML. */
export function parseFields(text: string): Result<JsonObject, readonly FrontmatterProblem[]> {
  try {
    const value = text.trimStart().startsWith("{") ? parseJson(text) : null;
    if (isObject(value)) return ok(value);
  } catch (error) {
    // It is JSON, and YAML would read it less exactly.
    if (error instanceof CasError) return err([{ line: null, message: error.message }]);
  }
  return parseFrontmatterBlock({ leading: true, line: 0, yaml: text.replaceAll("\r\n", "\n"), body: "" });
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

/** Whether a reply is nothing but the output that it was read into, as JSON: that is all that a program says. */
export function repeatsOutput(reply: string, output: JsonValue): boolean {
  if (!isObject(output) || !/^\s*\{/.test(reply)) return false;
  try {
    const parsed: unknown = JSON.parse(reply);
    return isObject(parsed) && Object.keys(output).every((key) => Object.hasOwn(parsed, key));
  } catch {
    return false;
  }
}
