import {
  copyJson,
  createValidator,
  isObject,
  type JsonObject,
  type JsonValue,
  type Validator,
  violationMessage,
  violationsOf,
} from "@uncaged/json-schema";
import { refuse } from "../fault.js";
import { isXmlText } from "../parse-xml.js";
import { STYLE_NAMES } from "./styles.js";

/** A piece of a new document. In its texts `**…**` is bold. */
export type NewBlock =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3 | 4 | 5 | 6; readonly text: string }
  /** Each line is a paragraph. `style`: the id or the name of one of `STYLES`; `null`: the usual one. */
  | { readonly kind: "paragraph"; readonly text: string; readonly style: string | null }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly string[] }
  /** `header`: the first row is the heads of the columns. All rows have the same number of cells. */
  | { readonly kind: "table"; readonly header: boolean; readonly rows: readonly (readonly string[])[] };

/** Word makes no table with more columns. */
const COLUMNS = 63;

const TEXT: JsonValue = { type: "string" };
/** Something has to be seen of it. */
const SEEN: JsonValue = { type: "string", pattern: "\\S" };

const FIELDS: Readonly<Record<NewBlock["kind"], Readonly<Record<string, JsonValue>>>> = {
  heading: { level: { type: "integer", minimum: 1, maximum: 6 }, text: SEEN },
  paragraph: { text: TEXT, style: { type: ["string", "null"] } },
  list: { ordered: { type: "boolean" }, items: { type: "array", items: SEEN, minItems: 1 } },
  table: {
    header: { type: "boolean" },
    rows: {
      type: "array",
      items: { type: "array", items: TEXT, minItems: 1, maxItems: COLUMNS },
      minItems: 1,
    },
  },
};

/** Blocks from anywhere, for example from a model. Throws `Refused`. */
export function parseBlocks(value: unknown): readonly NewBlock[] {
  if (!Array.isArray(value) || value.length === 0)
    return refuse("DOCX_BLOCK_SHAPE", { block: 1, reason: "blocks are a list with at least one" });
  const validators = new Map(
    Object.entries(FIELDS).map(([kind, fields]) => [kind, createValidator(schemaOf(fields), new Map())]),
  );
  return value.map((one: unknown, index) => parseBlock(one, index + 1, validators));
}

function schemaOf(fields: Readonly<Record<string, JsonValue>>): JsonValue {
  const required = Object.keys(fields).filter((name) => name !== "style");
  return {
    type: "object",
    properties: { kind: TEXT, ...fields },
    required: ["kind", ...required],
    additionalProperties: false,
  };
}

function parseBlock(value: unknown, block: number, validators: ReadonlyMap<string, Validator>): NewBlock {
  const wrong = (reason: string): never => refuse("DOCX_BLOCK_SHAPE", { block, reason });
  const copied = copyJson(value);
  if (!copied.ok) return wrong(`${copied.error.path} ${copied.error.reason}`.trim());
  const given = copied.value;
  if (!isObject(given)) return wrong("it is no object");
  const { kind } = given;
  const validator = typeof kind === "string" ? validators.get(kind) : undefined;
  if (validator === undefined) return wrong(`kind is one of ${Object.keys(FIELDS).join(", ")}`);
  const [violation] = violationsOf(validator, given);
  if (violation !== undefined) wrong(violationMessage(violation));
  // The schema of its kind has said so.
  const parsed = { style: null, ...(withLines(given, wrong) as JsonObject) } as unknown as NewBlock;
  if (parsed.kind === "table") assertSameLength(parsed.rows, wrong);
  if (parsed.kind !== "paragraph" || parsed.style === null) return parsed;
  return { ...parsed, style: styleOf(parsed.style, wrong) };
}

/** With one kind of ends of lines. */
function withLines(value: JsonValue, wrong: (reason: string) => never): JsonValue {
  if (typeof value === "string") {
    if (!isXmlText(value))
      wrong(`${JSON.stringify(value.slice(0, 80))} has a character that no document can have`);
    return value.replace(/\r\n?/g, "\n");
  }
  if (Array.isArray(value)) return value.map((one: JsonValue) => withLines(one, wrong));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withLines(one, wrong)]));
}

function assertSameLength(rows: readonly (readonly string[])[], wrong: (reason: string) => never): void {
  const columns = rows[0]?.length;
  const other = rows.findIndex((row) => row.length !== columns);
  if (other !== -1) wrong(`row ${other + 1} has ${rows[other]?.length} cells, and row 1 has ${columns}`);
}

/** The id of a style, which may be named by its id or as a word processor does. */
function styleOf(named: string, wrong: (reason: string) => never): string {
  const lower = named.toLowerCase();
  const found = [...STYLE_NAMES].find(
    ([id, name]) => id.toLowerCase() === lower || name.toLowerCase() === lower,
  );
  return (
    found?.[0] ??
    wrong(`there is no style ${JSON.stringify(named)}; there are ${[...STYLE_NAMES.keys()].join(", ")}`)
  );
}
