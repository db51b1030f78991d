import jsonata from "jsonata";
import { RE2JS } from "re2js";
import { type AstNode, compileLinear, type Jsonata, nodesOf, pathText } from "../engine/index.js";
import {
  bannedIn,
  bannedSentence,
  EXPRESSION_LIMIT,
  type Expression,
  parseExpression,
} from "../expression/index.js";
import { type Places, placesOf, suggest, tokensOf, unknownVariables } from "../infer/index.js";
import { mistakeIn } from "./mistakes.js";
import type { ExpressionProblem } from "./types.js";

/** Everything about one expression that does not depend on a workflow. */
export function checkExpression(text: string, parsed = parse(text)): readonly ExpressionProblem[] {
  if (!parsed.ok) return [unreadable(text, parsed.error)];
  const { ast } = parsed.value;
  const places = placesOf(text);
  return [
    ...bannedIn(ast).map((name) =>
      problem("error", "not-allowed", firstUse(ast, places, name), bannedSentence(name)),
    ),
    ...refusedRegexes(ast, places),
    ...unknownVariables(ast).map((unknown) =>
      unknownVariable(unknown, firstUse(ast, places, `$${unknown.name}`)),
    ),
    ...boundIndexes(ast, places),
  ];
}

/** The known mistake tells more than the parser. */
function unreadable(text: string, sentence: string): ExpressionProblem {
  const mistake = mistakeIn(text);
  if (mistake === null) {
    return problem("error", "syntax", syntaxErrorAt(text), `it does not parse: ${sentence}`);
  }
  const { offset, message, suggestion } = mistake;
  return {
    ...problem("error", "syntax", offset, `it does not parse: ${message}`),
    suggestion: suggestion === "" ? null : suggestion,
  };
}

/** Where jsonata stopped reading; it counts to the end of the word. */
function syntaxErrorAt(text: string): number | null {
  if (text.trim() === "" || text.length > EXPRESSION_LIMIT) return null;
  try {
    jsonata(text);
    return null;
  } catch (thrown) {
    const { code, position, token } = thrown as Readonly<Record<string, unknown>>;
    if (typeof position !== "number") return null;
    const quote = tokensOf(text).find(({ kind, text: mark }) => kind === "mark" && /["'`]/.test(mark));
    if (code === "S0101" && quote !== undefined) return quote.start;
    const length = typeof token === "string" && token !== "(end)" ? token.length : 0;
    return Math.max(0, Math.min(position - length, text.length - 1));
  }
}

function firstUse(ast: AstNode, places: Places, name: string): number | null {
  const uses = [...nodesOf(ast)].filter(
    ({ type, value }) => type === "variable" && `$${String(value)}` === name,
  );
  return uses[0] === undefined ? null : places.startOf(uses[0]);
}

export function parse(text: string): ReturnType<typeof parseExpression> {
  return parseExpression(jsonata as unknown as Jsonata, text);
}

function refusedRegexes(ast: Expression["ast"], places: Places): readonly ExpressionProblem[] {
  const refusals = [...nodesOf(ast)]
    .filter(({ type }) => type === "regex")
    .flatMap((node) => {
      const compiled = compileLinear(RE2JS, node.value);
      return typeof compiled === "string" ? [[compiled, places.startOf(node)] as const] : [];
    });
  const first = new Map(refusals.toReversed());
  return [...first].map(([sentence, offset]) => problem("error", "not-allowed", offset, sentence));
}

function unknownVariable(
  { name, known }: ReturnType<typeof unknownVariables>[number],
  offset: number | null,
): ExpressionProblem {
  const suggestion = suggest(name, known);
  const sentence = `$${name} is neither a function of JSONata nor bound in the expression`;
  return {
    ...problem("warning", "unknown-function", offset, sentence),
    suggestion: suggestion === null ? null : `$${suggestion}`,
  };
}

const STEP_FIELDS: ReadonlySet<unknown> = new Set(["role", "output", "detail", "agent"]);

/** `steps.role[-1]`: the index counts inside each step's role, not in the list. */
function boundIndexes(ast: AstNode, places: Places): readonly ExpressionProblem[] {
  const found = [...nodesOf(ast)].flatMap(({ steps = [] }) => {
    const [list, field] = steps[0]?.type === "variable" ? steps.slice(1) : steps;
    if (list?.value !== "steps" || list.stages !== undefined || field === undefined) return [];
    const index = field.stages?.[0]?.expr;
    if (!STEP_FIELDS.has(field.value) || index?.type !== "number") return [];
    const shown = pathText([list, field], 2);
    const meant = `steps[${String(index.value)}].${String(field.value)}`;
    const message = `${shown} takes the index of each item; ${meant} is meant`;
    return [{ ...problem("warning", "misplaced-index", places.startOf(list), message), suggestion: meant }];
  });
  return [...new Map(found.map((each) => [each.message, each])).values()];
}

function problem(
  severity: ExpressionProblem["severity"],
  code: ExpressionProblem["code"],
  offset: number | null,
  message: string,
): ExpressionProblem {
  return { severity, code, offset, message, suggestion: null };
}
