import { type Token, tokensOf } from "../infer/index.js";

/** Syntax of another language where JSONata stops parsing. */
type Mistake = { readonly offset: number; readonly message: string; readonly suggestion: string };

/** Operators of other languages, and JSONata's. */
const OPERATORS: ReadonlyMap<string, string> = new Map(
  Object.entries({ "==": "=", "===": "=", "!==": "!=", "<>": "!=", "&&": "and", "||": "or", "=>": ">=" }),
);

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ AND: "and", And: "and", OR: "or", Or: "or", IN: "in", is: "=", eq: "=", equals: "=" },
    ...{ ne: "!=", gt: ">", lt: "<", gte: ">=", lte: "<=" },
  }),
);

/** The first known mistake in a text that does not parse. */
export function mistakeIn(text: string): Mistake | null {
  const template = templateIn(text);
  if (template !== null) return template;
  const tokens = tokensOf(text);
  for (const [i, token] of tokens.entries()) {
    const mistake = mistakeAt(tokens, i, token);
    if (mistake !== null) return mistake;
  }
  // After a quote that is never closed, brackets mean nothing.
  return tokens.some(({ kind, text: mark }) => kind === "mark" && /["'`]/.test(mark))
    ? null
    : unbalanced(tokens);
}

const CLOSING: ReadonlyMap<string, string> = new Map(Object.entries({ "(": ")", "[": "]", "{": "}" }));

/** A bracket without its other half. */
function unbalanced(tokens: readonly Token[]): Mistake | null {
  const open: Token[] = [];
  for (const token of tokens.filter(({ kind }) => kind === "mark")) {
    if (CLOSING.has(token.text)) open.push(token);
    if (![...CLOSING.values()].includes(token.text)) continue;
    const last = open.pop();
    if (last === undefined) return mistakeOn(token, `this ${token.text} closes nothing`, "");
    if (CLOSING.get(last.text) !== token.text)
      return mistakeOn(last, `this ${last.text} is not closed before the ${token.text}`, "");
  }
  const last = open.at(-1);
  return last === undefined ? null : mistakeOn(last, `this ${last.text} is never closed`, "");
}

function mistakeAt(tokens: readonly Token[], i: number, token: Token): Mistake | null {
  const before = tokens[i - 1];
  const next = tokens[i + 1];
  const foreign = foreignAt(tokens, i, token);
  if (foreign !== null) return foreign;
  const operator = token.kind === "mark" ? OPERATORS.get(token.text) : undefined;
  if (operator !== undefined) return mistakeOn(token, `JSONata has no operator ${token.text}`, operator);
  if (token.text === "=" && (next?.text === "<" || next?.text === ">") && next.start === token.end) {
    return mistakeOn(token, `JSONata has no operator =${next.text}`, `${next.text}=`);
  }
  if (token.text === "!") return mistakeOn(token, "JSONata has no operator !", negation(tokens, i));
  if (token.text === ";" && i === tokens.length - 1 && next === undefined) {
    return mistakeOn(token, "an expression has no ; at its end", "");
  }
  if (token.kind !== "word" || !endsOperand(before) || next === undefined) {
    const not = token.kind === "word" && /^not$/i.test(token.text) && next?.kind === "word";
    return not ? mistakeOn(token, `${token.text} is not an operator`, negation(tokens, i)) : null;
  }
  const word = WORDS.get(token.text);
  return word === undefined ? null : mistakeOn(token, `${token.text} is not an operator of JSONata`, word);
}

function mistakeOn(token: Token, message: string, suggestion: string): Mistake {
  return { offset: token.start, message, suggestion };
}

/** Whether a word is where an operator is expected: after an operand, not after a dot. */
function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  return token.kind === "mark" ? [")", "]", "}"].includes(token.text) : true;
}

/** `{{ x }}`, `${{ x }}`, `{% x %}`, `${x}`: marks of template languages. */
function templateIn(text: string): Mistake | null {
  const [, before = "", open = "", inner = ""] =
    /^(\s*)(\$?\{\{|\{%-?|\$\{)([\s\S]*?)(?:-?%\}|\}\}|\})\s*$/.exec(text) ?? [];
  if (open === "") return null;
  const close = open.startsWith("{%") ? "%}" : open.endsWith("{{") ? "}}" : "}";
  return {
    offset: before.length,
    message: `a condition is JSONata alone, without ${open} ${close} around it`,
    suggestion: open.startsWith("{%") || mistakeIn(inner) !== null ? "" : inner.trim(),
  };
}

/** Operators and words of other languages that need another form, not only another word. */
function foreignAt(tokens: readonly Token[], i: number, token: Token): Mistake | null {
  const [before, next] = [tokens[i - 1], tokens[i + 1]];
  const isMark = token.kind === "mark";
  if (isMark && token.text === "=>" && isArrow(tokens, i)) {
    return mistakeOn(token, "JSONata has no =>; a function is function($x) { … }, a filter list[…]", "");
  }
  if (isMark && token.text === ":=" && before?.text.startsWith("$") === false) {
    return mistakeOn(token, ":= binds a variable, whose name begins with $; a comparison is =", "=");
  }
  if (isMark && token.text === "?" && next?.text === "." && next.start === token.end) {
    return mistakeOn(token, "JSONata needs no ?.: a field of nothing is nothing", ".");
  }
  if (isMark && token.text === "~" && next !== undefined) return search(tokens, i, token);
  if (token.kind !== "word" || next === undefined) return null;
  if (i === 0 && token.text === "return") return mistakeOn(token, "an expression has no return", "");
  if (!endsOperand(before)) {
    return token.text === "if"
      ? mistakeOn(token, "JSONata has no if; write condition ? value : value", "")
      : null;
  }
  if (SEARCHES.has(token.text)) return search(tokens, i, token);
  if (token.text === "not" && next.text === "in") {
    const inner = `${operandBefore(tokens, i)} in ${operandAfter(tokens, i + 1)}`;
    return mistakeOn(token, "JSONata has no operator not in", `$not(${inner})`);
  }
  return token.text === "is" && next.text === "not"
    ? mistakeOn(token, "JSONata has no operator is not", "!=")
    : null;
}

const SEARCHES: ReadonlySet<string> = new Set(
  "contains includes has matches match like startsWith".split(" "),
);

/** `x contains 'y'` */
function search(tokens: readonly Token[], i: number, token: Token): Mistake {
  const isTilde = token.text === "~";
  const from = isTilde && tokens[i - 1]?.text === "=" ? i - 1 : i;
  const [x, y] = [operandBefore(tokens, from), operandAfter(tokens, i)];
  const name = isTilde ? (from === i ? "~" : "=~") : token.text;
  const ofList = y.startsWith("/") ? "" : `, ${y} in ${x} a list`;
  const message = `JSONata has no operator ${name}: $contains searches a text${ofList}`;
  return mistakeOn(tokens[from] ?? token, message, `$contains(${x}, ${y})`);
}

/** `s => …`, `(s) => …` in other languages; `>=` misspelt elsewhere. */
function isArrow(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  if (before?.text === ")") return true;
  return before?.kind === "word" && ["(", ","].includes(tokens[i - 2]?.text ?? "(");
}

/** The operand that ends before a token, as it is written. */
function operandBefore(tokens: readonly Token[], at: number): string {
  const length = operandLength(tokens.slice(0, at).toReversed(), [")", "]"], ["(", "["]);
  return joined(tokens.slice(at - length, at));
}

function operandAfter(tokens: readonly Token[], at: number): string {
  const length = operandLength(tokens.slice(at + 1), ["(", "["], [")", "]"]);
  return joined(tokens.slice(at + 1, at + 1 + length));
}

/** Tokens up to the end of the brackets around them, or an operator outside of brackets of their own. */
function operandLength(tokens: readonly Token[], open: readonly string[], close: readonly string[]): number {
  let depth = 0;
  const end = tokens.findIndex(({ text }) => {
    if (open.includes(text)) depth += 1;
    if (close.includes(text)) depth -= 1;
    return depth < 0 || (depth === 0 && STOPS.has(text));
  });
  return end === -1 ? tokens.length : end;
}

/** As it is written, with one blank where there are some. */
function joined(tokens: readonly Token[]): string {
  return tokens
    .map(({ text, start }, i) => `${i > 0 && start > (tokens[i - 1]?.end ?? 0) ? " " : ""}${text}`)
    .join("");
}

/** Characters of a part that a fix repeats. */
export const LONGEST = 60;

/** `$not(…)` around the next operand, up to the next connective on its level. */
function negation(tokens: readonly Token[], at: number): string {
  const text = operandAfter(tokens, at);
  const inner = /^\((.*)\)$/.exec(text)?.[1] ?? text;
  return inner === "" || inner.length > LONGEST ? "$not(…)" : `$not(${inner})`;
}

const STOPS: ReadonlySet<string> = new Set("and or && || = != == === !== , ? in".split(" "));
