import { type AuthoredWorkflow, suggest } from "@uncaged/workflow-protocol";
import jsonata from "jsonata";
import { RE2JS } from "re2js";
import {
  type AstNode,
  compileLinear,
  filtersOf,
  type Jsonata,
  nodesOf,
  partsOf,
  pathText,
} from "../engine/index.js";
import {
  bannedIn,
  bannedSentence,
  EXPRESSION_LIMIT,
  type Expression,
  parseExpression,
} from "../expression.js";
import {
  JSONATA_FUNCTIONS,
  type Places,
  placesOf,
  tokensOf,
  type UnboundVariable,
  unboundVariables,
} from "../infer/index.js";
import { LONGEST, mistakeIn } from "./mistakes.js";
import { type ExpressionProblem, type GraphProblem, pointer, problemAt, warning } from "./problem.js";
import { declaredFields, requires } from "./schema.js";

/** Checks one expression as far as it does not depend on the workflow; `fields`: of outputs, for a did-you-mean. */
export function checkExpression(
  text: string,
  parsed = parse(text),
  fields: readonly string[] = [],
): readonly ExpressionProblem[] {
  if (!parsed.ok) return [unreadable(text, parsed.error)];
  const { ast } = parsed.value;
  const places = placesOf(text);
  return [
    ...bannedIn(ast).map((name) =>
      problemAt("error", "not-allowed", firstUse(ast, places, name), bannedSentence(name)),
    ),
    ...refusedRegexes(ast, places),
    ...unboundVariables(ast).map((unbound) => unboundVariable(unbound, places, fields)),
    ...boundIndexes(ast, places),
  ];
}

/** `x ? true`: where x is false it gives nothing, and a condition gives `true` or `false`. */
export function halfChoices({ text, ast }: ParsedCondition): readonly ExpressionProblem[] {
  if (ast.type !== "condition" || ast.else !== undefined) return [];
  const mark = tokensOf(text).find((token) => token.kind === "mark" && token.text === "?");
  if (mark === undefined) return [];
  const asked = text.slice(0, mark.start).trim();
  const isPlain = ast.then?.type === "value" && ast.then.value === true && asked.length <= LONGEST;
  const message = "without a value behind : it gives no value where the question is answered with no";
  return [problemAt("error", "not-boolean", mark.start, message, isPlain ? asked : null)];
}

/** A known mistake is more helpful than the parser's message. */
function unreadable(text: string, sentence: string): ExpressionProblem {
  const mistake = mistakeIn(text);
  if (mistake === null) {
    return problemAt("error", "syntax", syntaxErrorAt(text), `it does not parse: ${sentence}`);
  }
  const { offset, message, suggestion } = mistake;
  return problemAt("error", "syntax", offset, `it does not parse: ${message}`, suggestion || null);
}

/** Where jsonata stopped parsing; it reports the end of the word. */
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
  return [...first].map(([sentence, offset]) => problemAt("error", "not-allowed", offset, sentence));
}

function unboundVariable(
  { node, name, isCalled, bound }: UnboundVariable,
  places: Places,
  fields: readonly string[],
): ExpressionProblem {
  const offset = places.startOf(node);
  const functions = [...JSONATA_FUNCTIONS, ...bound];
  if (isCalled) {
    const near = suggest(name, functions);
    const message = `there is no function $${name}`;
    return problemAt("error", "unknown-function", offset, message, near === null ? null : `$${near}`);
  }
  if (bound.includes(name)) {
    const message = `$${name} is bound only inside its parentheses or function, so here it is always nothing`;
    return problemAt("error", "unknown-variable", offset, message);
  }
  const message = `the expression binds no variable $${name}, so it is always nothing`;
  return problemAt("error", "unknown-variable", offset, message, meant(name, functions, fields));
}

/** `steps` for `$steps`, `steps[-1].output.approved` for `$approved`. */
function meant(name: string, variables: readonly string[], fields: readonly string[]): string | null {
  const paths = new Map([
    ...fields.map((field) => [field, `steps[-1].output.${field}`] as const),
    ...[...STEP_FIELDS].map((field) => [field, `steps[-1].${field}`] as const),
    ...["workflow", "prompt"].map((field) => [field, `start.${field}`] as const),
    ...["steps", "start"].map((field) => [field, field] as const),
  ]);
  const variable = suggest(name, variables);
  const near = variable === null ? suggest(name, [...paths.keys()]) : null;
  return paths.get(name) ?? (variable === null ? (paths.get(near ?? "") ?? null) : `$${variable}`);
}

const STEP_FIELDS: ReadonlySet<string> = new Set(["role", "output", "detail", "agent"]);

/** `steps.role[-1]`: the index counts inside each step's role, not in the list. */
function boundIndexes(ast: AstNode, places: Places): readonly ExpressionProblem[] {
  const found = [...nodesOf(ast)].flatMap(({ steps = [] }) => {
    const [list, field] = steps[0]?.type === "variable" ? steps.slice(1) : steps;
    if (list?.value !== "steps" || list.stages !== undefined || field === undefined) return [];
    const fields = indexedFields(steps.slice(steps.indexOf(list) + 1));
    const index = fields.at(-1)?.stages?.[0]?.expr;
    if (!STEP_FIELDS.has(String(field.value)) || index?.type !== "number") return [];
    // Below an output the index may be that of a list in it; the last of a list is asked for more rarely than the last step.
    if (fields.length > 1 && index.value !== -1) return [];
    const shown = pathText([list, ...fields], fields.length + 1);
    const names = fields.map(({ value }) => String(value)).join(".");
    const meant = `steps[${String(index.value)}].${names}`;
    const message = `${shown} indexes each item separately; use ${meant}`;
    return [problemAt("warning", "misplaced-index", places.startOf(list), message, meant)];
  });
  return [...new Map(found.map((each) => [each.message, each])).values()];
}

/** The fields of a path up to the first with an index. */
function indexedFields(fields: readonly AstNode[]): readonly AstNode[] {
  const at = fields.findIndex(({ stages }) => stages !== undefined);
  const named = fields.slice(0, at + 1);
  return named.every(({ type }) => type === "name") ? named : [];
}

export type ParsedCondition = { readonly text: string; readonly ast: AstNode };

/** Fields of the last step that a condition reads but that step's role may omit; of paths without a place in `reported`. */
export function checkReads(
  workflow: AuthoredWorkflow,
  name: string,
  { text, ast }: ParsedCondition,
  reported: readonly (number | null)[],
): readonly GraphProblem[] {
  const places = placesOf(text);
  const isReported = (node: AstNode): boolean => {
    const start = places.startOf(node);
    const end = start + places.textOf(node).length;
    return reported.some((offset) => offset !== null && offset >= start && offset < end);
  };
  const reads = unguardedReads(ast).filter(({ node }) => !isReported(node));
  return keysOf(workflow, name).flatMap((role) =>
    reads.flatMap((read) => checkRead(workflow, name, role, read, places)),
  );
}

/** `text` as the author wrote it; `fields` below `output`. */
type Read = { readonly node: AstNode; readonly text: string; readonly fields: readonly string[] };

function checkRead(
  workflow: AuthoredWorkflow,
  name: string,
  role: string,
  { node, text, fields }: Read,
  places: Places,
): readonly GraphProblem[] {
  const meta = Object.hasOwn(workflow.roles, role) ? workflow.roles[role]?.meta : undefined;
  if (meta === undefined || requires(meta, fields)) return [];
  const declared = declaredFields(meta);
  const [field = ""] = fields;
  const message = `the condition ${name} reads ${text} after ${role}, whose meta does not require it; a missing field makes = and != false: use $exists`;
  const suggestion = declared.includes(field) ? null : suggest(field, declared);
  const path = pointer("conditions", name, "expression");
  return [{ ...warning("may-be-missing", path, message, suggestion), offset: places.startOf(node) }];
}

/** The nodes of the graph that evaluate a condition. */
export function keysOf({ graph }: AuthoredWorkflow, condition: string): readonly string[] {
  return Object.entries(graph)
    .filter(([, transitions]) => transitions.some((transition) => transition.condition === condition))
    .map(([key]) => key);
}

/**
 * Paths `steps[-1].output.…` over the whole context. None if the expression reads the last step's role: then it may
 * distinguish the roles itself. A path with `$exists` anywhere is guarded.
 */
function unguardedReads(ast: AstNode): readonly Read[] {
  const found: { readonly path: AstNode; readonly asked: boolean }[] = [];
  collect(ast, false, found);
  const guarded = new Set(found.filter(({ asked }) => asked).map(({ path }) => textOf(path)));
  const last = found.map(({ path }) => ({ path, names: fieldsOfLast(path) }));
  if (last.some(({ names }) => names?.[0] === "role")) return [];
  const reads = last.flatMap(({ path, names }) =>
    names?.[0] === "output" && names.length > 1
      ? [{ node: path, text: textOf(path), fields: names.slice(1) }]
      : [],
  );
  const open = reads.filter(({ text }) => !guarded.has(text));
  return [...new Map(open.map((read) => [read.text, read])).values()];
}

function textOf({ steps = [] }: AstNode): string {
  return pathText(steps, steps.length);
}

/** The names after `steps[-1]`, up to the first filter: the schema does not say what a filter finds. */
function fieldsOfLast({ steps = [] }: AstNode): readonly string[] | null {
  const [list, ...fields] = steps[0]?.value === "$" && steps[0].type === "variable" ? steps.slice(1) : steps;
  const [index, ...more] = list === undefined ? [] : filtersOf(list);
  if (list?.type !== "name" || list.value !== "steps" || index?.value !== -1 || more.length > 0) return null;
  const plain = fields.findIndex((step) => step.type !== "name" || filtersOf(step).length > 0);
  const sure = plain === -1 ? fields : fields.slice(0, fields[plain]?.type === "name" ? plain + 1 : plain);
  return sure.map(({ value }) => String(value));
}

/** Paths that start at the context: not in a filter, not after a path's first step. */
function collect(node: AstNode, asked: boolean, found: { path: AstNode; asked: boolean }[]): void {
  if (node.type === "path") found.push({ path: node, asked });
  const exists = node.type === "function" && node.procedure?.value === "exists";
  const later = node.steps?.slice(1) ?? [];
  for (const part of [...partsOf(node), ...(node.body === undefined ? [] : [node.body])]) {
    const isAsked = part === node.condition || (exists && node.arguments?.includes(part) === true);
    if (!later.includes(part)) collect(part, asked || isAsked, found);
  }
}
