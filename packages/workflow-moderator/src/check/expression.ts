import jsonata from "jsonata";
import { RE2JS } from "re2js";
import { type AstNode, compileLinear, type Jsonata, nodesOf, pathText } from "../engine/index.js";
import { bannedIn, bannedSentence, type Expression, parseExpression } from "../expression/index.js";
import { suggest } from "./suggest.js";
import type { ExpressionProblem } from "./types.js";
import { unknownVariables } from "./variables.js";

/** Everything about one expression that does not depend on a workflow. */
export function checkExpression(text: string): readonly ExpressionProblem[] {
  const parsed = parse(text);
  if (!parsed.ok) return [problem("error", `it does not parse: ${parsed.error}`)];
  const { ast } = parsed.value;
  return [
    ...bannedIn(ast).map((name) => problem("error", bannedSentence(name))),
    ...refusedRegexes(ast),
    ...unknownVariables(ast).map(unknownVariable),
    ...boundIndexes(ast),
  ];
}

export function parse(text: string): ReturnType<typeof parseExpression> {
  return parseExpression(jsonata as unknown as Jsonata, text);
}

function refusedRegexes(ast: Expression["ast"]): readonly ExpressionProblem[] {
  const refusals = [...nodesOf(ast)]
    .filter(({ type }) => type === "regex")
    .map(({ value }) => compileLinear(RE2JS, value))
    .filter((compiled) => typeof compiled === "string");
  return [...new Set(refusals)].map((sentence) => problem("error", sentence));
}

function unknownVariable({ name, known }: ReturnType<typeof unknownVariables>[number]): ExpressionProblem {
  const suggestion = suggest(name, known);
  return {
    severity: "warning",
    message: `$${name} is neither a function of JSONata nor bound in the expression`,
    suggestion: suggestion === null ? null : `$${suggestion}`,
  };
}

const STEP_FIELDS: ReadonlySet<unknown> = new Set(["role", "output", "detail", "agent"]);

/** `steps.role[-1]`: the index counts inside each step's role, not in the list. */
function boundIndexes(ast: AstNode): readonly ExpressionProblem[] {
  const found = [...nodesOf(ast)].flatMap(({ steps = [] }) => {
    const [list, field] = steps[0]?.type === "variable" ? steps.slice(1) : steps;
    if (list?.value !== "steps" || list.stages !== undefined || field === undefined) return [];
    const index = field.stages?.[0]?.expr;
    if (!STEP_FIELDS.has(field.value) || index?.type !== "number") return [];
    const shown = pathText([list, field], 2);
    const meant = `steps[${String(index.value)}].${String(field.value)}`;
    return [`${shown} takes the index of each item; ${meant} is meant`];
  });
  return [...new Set(found)].map((message) => problem("warning", message));
}

function problem(severity: ExpressionProblem["severity"], message: string): ExpressionProblem {
  return { severity, message, suggestion: null };
}
