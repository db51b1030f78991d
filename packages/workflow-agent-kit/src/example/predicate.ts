import type { JsonValue } from "@uncaged/json-cas";

/** A condition that depends on nothing but fields of the role's last output. */
export type LastOutput = {
  /** JSON Pointers to the fields. */
  readonly pointers: readonly string[];
  readonly holds: (values: ReadonlyMap<string, JsonValue>) => boolean;
};

const NAME = "(?:[A-Za-z_]\\w*|`[^`/~]+`)";
const FIELD = `((?:\\.${NAME})+)`;
const LITERAL = `true|false|null|-?\\d+(?:\\.\\d+)?|"[^"\\\\]*"|'[^'\\\\]*'`;

/**
 * The usual conditions, read without the engine: `steps[-1].output.approved = true`, the field alone, `$not(…)`, `and`, `or`.
 * `null` for everything else. An example is all that depends on it; the moderator decides.
 */
export function readPredicate(expression: string, role: string): LastOutput | null {
  const text = withoutParentheses(expression.trim());
  for (const [word, every] of JOINS) {
    const parts = splitAtTop(text, word);
    if (parts.length > 1) return join(parts, role, every);
  }
  const [, negated] = /^\$not\((.*)\)$/s.exec(text) ?? [];
  if (negated === undefined) return readComparison(text, role);
  const inner = readPredicate(negated, role);
  return inner === null ? null : { ...inner, holds: (values) => !inner.holds(values) };
}

/** The weaker one first. */
const JOINS = [
  [" or ", false],
  [" and ", true],
] as const;

function join(parts: readonly string[], role: string, every: boolean): LastOutput | null {
  const read = parts.map((part) => readPredicate(part, role));
  const all = read.filter((part) => part !== null);
  if (all.length < read.length) return null;
  return {
    pointers: all.flatMap(({ pointers }) => pointers),
    holds: (values) =>
      every ? all.every(({ holds }) => holds(values)) : all.some(({ holds }) => holds(values)),
  };
}

function readComparison(text: string, role: string): LastOutput | null {
  const last = `steps(?:\\[role\\s*=\\s*["']${role}["']\\])?\\[-1\\]\\.output`;
  const pattern = new RegExp(`^${last}${FIELD}(?:\\s*(=|!=|<=|>=|<|>)\\s*(${LITERAL}))?$`);
  const [, field = "", operator = "=", literal = "true"] = pattern.exec(text) ?? [];
  if (field === "") return null;
  const names = [...field.matchAll(new RegExp(`\\.(${NAME})`, "g"))].map(([, name = ""]) => name);
  const pointer = names.map((name) => `/${name.replaceAll("`", "")}`).join("");
  const wanted = literalValue(literal);
  return { pointers: [pointer], holds: (values) => compare(values.get(pointer), operator, wanted) };
}

function literalValue(literal: string): JsonValue {
  return literal.startsWith("'") ? literal.slice(1, -1) : (JSON.parse(literal) as JsonValue);
}

function compare(value: JsonValue | undefined, operator: string, wanted: JsonValue): boolean {
  if (operator === "=") return value === wanted;
  if (operator === "!=") return value !== wanted;
  if (typeof value !== "number" || typeof wanted !== "number") return false;
  if (operator === "<") return value < wanted;
  if (operator === ">") return value > wanted;
  return operator === "<=" ? value <= wanted : value >= wanted;
}

function withoutParentheses(text: string): string {
  const isWrapped = text.startsWith("(") && closingOf(text) === text.length - 1;
  return isWrapped ? withoutParentheses(text.slice(1, -1).trim()) : text;
}

/** Where the first parenthesis is closed. */
function closingOf(text: string): number {
  return [...depths(text)].findIndex((depth, at) => at > 0 && depth === 0);
}

function splitAtTop(text: string, word: string): readonly string[] {
  const depth = depths(text);
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (depth[at] !== 0) continue;
    parts.push(text.slice(from, at));
    from = at + word.length;
  }
  return [...parts, text.slice(from)];
}

/**
 * The depth of brackets after each character; characters of a quoted text count as deeper than any bracket.
 */
function depths(text: string): readonly number[] {
  let [depth, quote] = [0, ""];
  return text.split("").map((char) => {
    if (quote !== "") {
      if (char === quote) quote = "";
      return Infinity;
    }
    if (/["'`]/.test(char)) {
      quote = char;
      return Infinity;
    }
    if (/[([{]/.test(char)) depth += 1;
    if (/[)\]}]/.test(char)) depth -= 1;
    return depth;
  });
}
