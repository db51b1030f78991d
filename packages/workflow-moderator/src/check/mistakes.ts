import { type Token, tokensOf } from "../infer/index.js";

/** A habit from another language at a place where JSONata stops reading. */
export type Mistake = { readonly offset: number; readonly message: string; readonly suggestion: string };

/** What other languages write, and JSONata's words for it. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["==", "="],
  ["===", "="],
  ["!==", "!="],
  ["<>", "!="],
  ["&&", "and"],
  ["||", "or"],
  ["=>", ">="],
]);

const WORDS: ReadonlyMap<string, string> = new Map([
  ["AND", "and"],
  ["And", "and"],
  ["OR", "or"],
  ["Or", "or"],
  ["IN", "in"],
  ["is", "="],
  ["eq", "="],
  ["equals", "="],
  ["ne", "!="],
  ["gt", ">"],
  ["lt", "<"],
  ["gte", ">="],
  ["lte", "<="],
]);

/** The first known mistake of a text that does not parse. */
export function mistakeIn(text: string): Mistake | null {
  const tokens = tokensOf(text);
  for (const [i, token] of tokens.entries()) {
    const mistake = mistakeAt(tokens, i, token);
    if (mistake !== null) return mistake;
  }
  return null;
}

function mistakeAt(tokens: readonly Token[], i: number, token: Token): Mistake | null {
  const before = tokens[i - 1];
  const next = tokens[i + 1];
  const operator = token.kind === "mark" ? OPERATORS.get(token.text) : undefined;
  if (operator !== undefined) return told(token, `JSONata has no operator ${token.text}`, operator);
  if (token.text === "=" && (next?.text === "<" || next?.text === ">") && next.start === token.end) {
    return told(token, `JSONata has no operator =${next.text}`, `${next.text}=`);
  }
  if (token.text === "!") return told(token, "JSONata has no operator !", negation(tokens, i));
  if (token.text === ";" && i === tokens.length - 1 && next === undefined) {
    return told(token, "an expression has no ; at its end", "");
  }
  if (token.kind !== "word" || !endsOperand(before) || next === undefined) {
    const not = token.kind === "word" && /^not$/i.test(token.text) && next?.kind === "word";
    return not ? told(token, `${token.text} is no operator`, negation(tokens, i)) : null;
  }
  const word = WORDS.get(token.text);
  return word === undefined ? null : told(token, `${token.text} is no operator of JSONata`, word);
}

function told(token: Token, message: string, suggestion: string): Mistake {
  return { offset: token.start, message, suggestion };
}

/** A word stands where an operator is due: behind an operand, a dot between them aside. */
function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  return token.kind === "mark" ? [")", "]", "}"].includes(token.text) : true;
}

const LONGEST = 60;

/** `$not(…)` around the operand that follows, up to the next connective on its level. */
function negation(tokens: readonly Token[], at: number): string {
  let depth = 0;
  let text = "";
  let end = tokens[at]?.end ?? 0;
  for (const token of tokens.slice(at + 1)) {
    if (["(", "["].includes(token.text)) depth += 1;
    if ([")", "]"].includes(token.text)) depth -= 1;
    if (depth < 0 || (depth === 0 && STOPS.has(token.text))) break;
    text += `${text !== "" && token.start > end ? " " : ""}${token.text}`;
    end = token.end;
  }
  const inner = /^\((.*)\)$/.exec(text)?.[1] ?? text;
  return inner === "" || inner.length > LONGEST ? "$not(…)" : `$not(${inner})`;
}

const STOPS: ReadonlySet<string> = new Set([
  "and",
  "or",
  "&&",
  "||",
  "=",
  "!=",
  "==",
  "===",
  "!==",
  ",",
  "?",
  "in",
]);
