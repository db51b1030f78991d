import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import type { Fields } from "./claims.js";
import { closesCodeFence, codeFenceOf } from "./find.js";

/** A line that gives one field a value: `approved: false`, `- **Approved:** no (why)`, `| approved | false |`. */
const STATEMENT =
  /^ {0,3}(?:(?:[-*+|]|#{1,6}|\d+[.)])[ \t]+)?["'*_`]*(\w[\w -]{0,60}?)["'*_`]*[ \t]*[:=|][^\w\n]{0,10}(\w[\w-]{0,60})["'*_`]*\s*(?:[.,;#(|—–-].*)?$/;

/** The same inside of a line. */
const JSON_MEMBER = /["'](\w[\w-]{0,60})["']\s*:\s*["']?(\w[\w-]{0,60})/g;
const ELEMENT = /<(\w[\w-]{0,60})>\s*(\w[\w-]{0,60})\s*<\/\1>/g;

const LONGEST_LINE = 4096;

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["false", false],
  ["no", false],
]);

/**
 * The field of a header that the words around it decide otherwise: the header is that of another step, or the words are.
 * Only fields with few values count, and no quotations (`>`, code) and thoughts.
 */
export function contradictedField(
  { before, after }: { readonly before: string; readonly after: string },
  data: JsonObject,
  fields: NonNullable<Fields>,
): string | null {
  const decided = new Map(
    Object.entries(data)
      .filter(([key, value]) => typeof value === "boolean" || fields.isChoice(key, value))
      .map(([key, value]) => [bare(key), { key, value }] as const),
  );
  if (decided.size === 0) return null;
  const differs = (name: string, text: string): string | null => {
    const found = decided.get(bare(name));
    return found !== undefined && isOther(found, text, fields) ? found.key : null;
  };
  return inText(withoutThoughts(before), differs) ?? inText(after, differs);
}

type Differs = (name: string, text: string) => string | null;

function isOther(
  { key, value }: { readonly key: string; readonly value: JsonValue },
  text: string,
  { isChoice }: NonNullable<Fields>,
): boolean {
  if (typeof value === "boolean") return TRUTH.get(text.toLowerCase()) === !value;
  return text !== value && isChoice(key, text);
}

function inText(text: string, differs: Differs): string | null {
  let marker: string | null = null;
  let code: string[] = [];
  for (const line of text.split("\n")) {
    if (marker !== null && closesCodeFence(line.trim(), marker)) {
      const found = inCode(code.join("\n"), differs);
      if (found !== null) return found;
      marker = null;
    } else if (marker !== null) code.push(line);
    else if (/^ {0,3}(?:`{3}|~{3})/.test(line)) {
      marker = codeFenceOf(line.trim());
      code = [];
    } else {
      const found = inLine(line.slice(0, LONGEST_LINE), differs);
      if (found !== null) return found;
    }
  }
  return null;
}

function inLine(line: string, differs: Differs): string | null {
  if (/^(?: {4}|\t|\s*>)/.test(line)) return null;
  const [, name, value] = STATEMENT.exec(line) ?? [];
  const pairs = [[line, name, value], ...line.matchAll(JSON_MEMBER), ...line.matchAll(ELEMENT)];
  for (const [, key, text] of pairs) {
    const found = key === undefined || text === undefined ? null : differs(key, text);
    if (found !== null) return found;
  }
  return null;
}

/** JSON with the fields below one name or in a list: what a header must not be, and no quotation of another text. */
function inCode(code: string, differs: Differs): string | null {
  let value: JsonValue;
  try {
    value = JSON.parse(code);
  } catch {
    return null;
  }
  for (let depth = 0; depth < 3; depth += 1) {
    if (typeof value !== "object" || value === null) return null;
    for (const [key, member] of Object.entries(value)) {
      const found = differs(key, String(member));
      if (found !== null) return found;
    }
    const [only, another] = Object.values(value);
    if (only === undefined || another !== undefined) return null;
    value = only;
  }
  return null;
}

/** Drops what a model thought aloud, as its verdict may revise it. */
function withoutThoughts(text: string): string {
  const end = /^[\s\S]*<\/(?:think|thinking|thought|reasoning)>/i.exec(text)?.[0].length ?? 0;
  return text.slice(end);
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, "");
}
