import type { Comparison, SimpleCondition } from "./types.js";

// Most conditions compare a member or two of the last step with a literal, or count the steps with such a member.
// Loading JSONata for that takes longer than the rest of a decision, and so does counting thousands of steps with it.
// So this part of the language has its own parser:
//
//   or:       and { "or" and }              and:   test { "and" test }
//   test:     operand [ ("=" | "!=" | "<" | "<=" | ">" | ">=") operand ]
//   operand:  path | string | number | "true" | "false" | "null" | "(" or ")" | "$not(" or ")" | "$exists(" path ")"
//             | "$count(steps)" | "$count(steps[" or "])" | "$exists(steps[" or "])"
//   path:     "steps[-" digits "]" { "." name } | "start" { "." name }; in a filter instead: name { "." name }
//
// Everything else, valid or not, is left to JSONata.

/** Other blanks, such as a no-break space, are part of names in JSONata. */
const BLANK = "[ \\t\\r\\n]*";

const TOKEN = new RegExp(
  [
    `${BLANK}(?:`,
    `(?<steps>steps${BLANK}\\[${BLANK}-${BLANK}(?<back>[1-9][0-9]{0,2})${BLANK}\\])`,
    "|(?<name>\\$?[A-Za-z_][A-Za-z0-9_]*)",
    `|(?<string>"[^"\\\\\\n]*"|'[^'\\\\\\n]*')`,
    "|(?<number>-?(?:0|[1-9][0-9]{0,14})(?:\\.[0-9]{1,15})?(?![\\w.]))",
    "|(?<symbol>!=|<=|>=|[=<>().[\\]])",
    ")",
  ].join(""),
  "y",
);

const TRAILING = new RegExp(`${BLANK}$`);

type Token = { readonly kind: "steps" | "name" | "string" | "number" | "symbol"; readonly text: string };

/** Longer ones are rare, and deep ones could overflow the stack. */
const LONGEST = 1000;
const DEEPEST = 20;

const RESERVED: ReadonlySet<string> = new Set(["and", "or", "in", "true", "false", "null", "function"]);

const COMPARISONS: ReadonlySet<string> = new Set(["=", "!=", "<", "<=", ">", ">="]);

/** Parses a simple condition; `null`: use JSONata. */
export function parseSimple(text: string): SimpleCondition | null {
  const tokens = text.length > LONGEST ? null : tokensOf(text);
  if (tokens === null) return null;
  const reader = { tokens, at: 0, depth: 0, filters: false };
  const condition = readOr(reader);
  return reader.at === tokens.length ? condition : null;
}

function tokensOf(text: string): readonly Token[] | null {
  const tokens: Token[] = [];
  const end = text.replace(TRAILING, "").length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return null;
    const { steps, back, name, string, number, symbol } = groups;
    if (steps !== undefined) tokens.push({ kind: "steps", text: back ?? "" });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (string !== undefined) tokens.push({ kind: "string", text: string.slice(1, -1) });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else tokens.push({ kind: "symbol", text: symbol ?? "" });
  }
  return tokens;
}

/** `filters`: names are members of the step that a filter tests. */
type Reader = { readonly tokens: readonly Token[]; at: number; depth: number; filters: boolean };

/** Takes the next token if it is this one. */
function took(reader: Reader, kind: Token["kind"], text: string): boolean {
  const next = reader.tokens[reader.at];
  if (next?.kind !== kind || next.text !== text) return false;
  reader.at += 1;
  return true;
}

function readOr(reader: Reader): SimpleCondition | null {
  return readChain(reader, "or", readAnd);
}

function readAnd(reader: Reader): SimpleCondition | null {
  return readChain(reader, "and", readTest);
}

function readChain(
  reader: Reader,
  kind: "and" | "or",
  readPart: (reader: Reader) => SimpleCondition | null,
): SimpleCondition | null {
  let left = readPart(reader);
  while (left !== null && took(reader, "name", kind)) {
    const right = readPart(reader);
    left = right === null ? null : { kind, left, right };
  }
  return left;
}

function readTest(reader: Reader): SimpleCondition | null {
  const left = readOperand(reader);
  const next = reader.tokens[reader.at];
  if (left === null || next?.kind !== "symbol" || !COMPARISONS.has(next.text)) return left;
  reader.at += 1;
  const right = readOperand(reader);
  return right === null ? null : { kind: "compare", operator: next.text as Comparison, left, right };
}

function readOperand(reader: Reader): SimpleCondition | null {
  const token = reader.tokens[reader.at];
  reader.at += 1;
  switch (token?.kind) {
    case "steps":
      return reader.filters ? null : readPath(reader, Number(token.text));
    case "string":
      return { kind: "literal", value: token.text };
    case "number":
      return { kind: "literal", value: Number(token.text) };
    case "symbol":
      return token.text === "(" ? readInner(reader) : null;
    case "name":
      return readNamed(reader, token.text);
    default:
      return null;
  }
}

const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function readNamed(reader: Reader, name: string): SimpleCondition | null {
  if (name.startsWith("$")) return took(reader, "symbol", "(") ? readCall(reader, name) : null;
  const value = LITERALS.get(name);
  if (value !== undefined) return { kind: "literal", value };
  if (reader.filters) return readMember(reader, name);
  return name === "start" ? readPath(reader, 0) : null;
}

/** A function call, after its opening parenthesis. */
function readCall(reader: Reader, name: string): SimpleCondition | null {
  if ((name === "$count" || name === "$exists") && !reader.filters && took(reader, "name", "steps"))
    return readSteps(reader, name === "$exists");
  const inner = name === "$not" || name === "$exists" ? readInner(reader) : null;
  if (inner === null || name === "$not") return inner === null ? null : { kind: "not", operand: inner };
  return inner.kind === "path" || inner.kind === "member" ? { kind: "exists", path: inner } : null;
}

/** The rest of `$count(steps`. An empty list of all steps still exists, so that case is left to JSONata. */
function readSteps(reader: Reader, exists: boolean): SimpleCondition | null {
  if (!took(reader, "symbol", "["))
    return took(reader, "symbol", ")") && !exists ? { kind: "count", filter: null, exists } : null;
  reader.filters = true;
  const filter = readOr(reader);
  reader.filters = false;
  const ends = filter !== null && took(reader, "symbol", "]") && took(reader, "symbol", ")");
  return ends ? { kind: "count", filter, exists } : null;
}

/** A condition in parentheses, after the opening one. */
function readInner(reader: Reader): SimpleCondition | null {
  reader.depth += 1;
  const inner = reader.depth > DEEPEST ? null : readOr(reader);
  reader.depth -= 1;
  return took(reader, "symbol", ")") ? inner : null;
}

function readPath(reader: Reader, back: number): SimpleCondition | null {
  const names = readNames(reader);
  // After anything but an operator JSONata would continue: `steps[-1] [0]`, `start {…}`.
  return names === null || names.length === 0 ? null : { kind: "path", back, names };
}

/** A path into a step, by its first name. */
function readMember(reader: Reader, first: string): SimpleCondition | null {
  const names = isOrdinary(first) ? readNames(reader) : null;
  return names === null ? null : { kind: "member", names: [first, ...names] };
}

/** Any number of `.name`; `null`: one is not a name. */
function readNames(reader: Reader): readonly string[] | null {
  const names: string[] = [];
  while (took(reader, "symbol", ".")) {
    const next = reader.tokens[reader.at];
    if (next?.kind !== "name" || !isOrdinary(next.text)) return null;
    names.push(next.text);
    reader.at += 1;
  }
  return names;
}

/** Not a keyword, not a variable, and not inherited by every object. */
function isOrdinary(name: string): boolean {
  return !RESERVED.has(name) && !name.startsWith("$") && !(name in Object.prototype);
}
