import { type Hash, type JsonObject, type JsonValue, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { LIMITS } from "@uncaged/workflow-protocol";
import { accept } from "../accept/index.js";
import { examplesOf, type VariantExample } from "../example/index.js";
import { wrap } from "./delimit.js";
import { describeFields, variantName } from "./describe.js";
import { yamlOf } from "./yaml.js";

const RULES = `Your final reply is Markdown that begins with a YAML header:

- The first line is \`---\`, the header's fields follow, a second line \`---\` ends the header. Nothing stands before it.
- After the header write freely: what you did, found and decided.
- Fill the header with what is true of your work. A value of the wrong type or a missing required field makes the reply invalid; nothing is converted or guessed.
- Put strings in double quotes. Booleans are \`true\` and \`false\`, without quotes. No anchors, aliases, merge keys, tags or repeated keys.`;

const REFERENCES = `- A field with the hash of a stored node refers to a node that is there; with a hash that you make up the reply is invalid. To refer to a text, store it first, by your tool \`cas_put\` if you have one, else by \`uwf cas put-text --file <path>\` (\`-\` instead of the file takes stdin), and give the hash that is printed.`;

const NO_FIELDS = "- (no field is declared)";

/**
 * The deliverable's format, rendered from the role's `meta`: rules, every field, one valid example for each of the first
 * variants. `hashes` are nodes that exist: the example's references; a store with schemas has the default one.
 */
export function buildOutputFormatInstruction(
  schema: JsonValue,
  hashes: readonly Hash[] = [META_SCHEMA_HASH],
): string {
  const fields = describeFields(schema, schema);
  const examples = examplesOf(schema, hashes).map((found, index) => exampleText(schema, found, index));
  const rules = hasReferences(schema) ? `${RULES}\n${REFERENCES}` : RULES;
  return [rules, `Fields of the header:\n\n${fields.join("\n") || NO_FIELDS}`, ...examples].join("\n\n");
}

function exampleText(schema: JsonValue, { variant, example }: VariantExample, index: number): string {
  const of = variant === null ? "" : ` of ${variantName(schema, variant, index)}`;
  const reply = example === null ? null : exampleReply(schema, example);
  if (reply === null) return `No example${of} could be made from the schema; follow the fields above.`;
  return `Example${of} (the form counts; the values are yours to fill in):\n\n${wrap("example", {}, reply)}`;
}

/**
 * The example as a reply. It was found valid; that our reader gives back exactly this value follows from how it is
 * written (tested over generated schemas: reading it back here would cost every prompt the YAML reader). `null` for
 * what the reader refuses: integers that are not kept exactly, more than its size limit.
 */
function exampleReply(schema: JsonValue, example: JsonObject): string | null {
  const header = yamlOf(example);
  const readable = isExact(example) && Buffer.byteLength(header) <= LIMITS.frontmatter;
  const kept = accept(schema, example);
  if (!readable || !kept.ok || yamlOf(kept.value) !== header) return null;
  return `---\n${header}---\n\nWhat you did, found and decided.\n`;
}

function hasReferences(schema: JsonValue): boolean {
  return JSON.stringify(schema).includes('"format":"cas_ref"');
}

function isExact(value: JsonValue): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isExact);
}
