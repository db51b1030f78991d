import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { examplesOf, type VariantExample } from "../example/index.js";
import { validateFrontmatter } from "../extract/index.js";
import { wrap } from "./delimit.js";
import { describeFields, variantName } from "./describe.js";
import { yamlOf } from "./yaml.js";

const RULES = `Your final reply is Markdown that begins with a YAML header:

- The first line is \`---\`, the header's fields follow, a second line \`---\` ends the header. Nothing stands before it.
- After the header write freely: what you did, found and decided.
- Fill the header with what is true of your work. A value of the wrong type or a missing required field makes the reply invalid; nothing is converted or guessed.
- Put strings in double quotes. Booleans are \`true\` and \`false\`, without quotes. No anchors, aliases, merge keys, tags or repeated keys.`;

const NO_FIELDS = "- (no field is declared)";

/** The deliverable's format, rendered from the role's `meta`: rules, every field, one valid example per variant. */
export function buildOutputFormatInstruction(schema: JsonValue): string {
  const fields = describeFields(schema, schema);
  const examples = examplesOf(schema).map((found, index) => exampleText(schema, found, index));
  return [RULES, `Fields of the header:\n\n${fields.join("\n") || NO_FIELDS}`, ...examples].join("\n\n");
}

function exampleText(schema: JsonValue, { variant, example }: VariantExample, index: number): string {
  const of = variant === null ? "" : ` of ${variantName(schema, variant, index)}`;
  const reply = example === null ? null : exampleReply(schema, example);
  if (reply === null) return `No example${of} could be made from the schema; follow the fields above.`;
  return `Example${of} (the form counts, replace every value):\n\n${wrap("example", {}, reply)}`;
}

/** The example as a reply, or `null` when our own parser would not read exactly this example from it. */
function exampleReply(schema: JsonValue, example: JsonObject): string | null {
  const reply = `---\n${yamlOf(example)}---\n\nWhat you did, found and decided.\n`;
  const read = validateFrontmatter(schema, reply);
  return read.ok && yamlOf(read.value.value) === yamlOf(example) ? reply : null;
}
