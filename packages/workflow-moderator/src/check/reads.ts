import { type AuthoredWorkflow, START } from "@uncaged/workflow-protocol";
import { type AstNode, filtersOf, pathText } from "../engine/index.js";
import { type Places, placesOf, suggest } from "../infer/index.js";
import { pointer, warning } from "./problem.js";
import { declaredFields, requires } from "./schema.js";
import type { GraphProblem } from "./types.js";

export type ParsedCondition = { readonly text: string; readonly ast: AstNode };

/** What a condition reads of the last step and that step's role need not give. */
export function checkReads(
  workflow: AuthoredWorkflow,
  name: string,
  { text, ast }: ParsedCondition,
): readonly GraphProblem[] {
  const reads = unguardedReads(ast);
  const places = placesOf(text);
  return lastRoles(workflow, name).flatMap((role) =>
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
  const problem = (message: string, suggestion: string | null): readonly GraphProblem[] => [
    {
      ...warning("may-be-missing", pointer("conditions", name, "expression"), message, suggestion),
      offset: places.startOf(node),
    },
  ];
  if (role === START)
    return problem(`the condition ${name} reads ${text}, but at ${START} there is no step`, null);
  const meta = Object.hasOwn(workflow.roles, role) ? workflow.roles[role]?.meta : undefined;
  if (meta === undefined || requires(meta, fields)) return [];
  const declared = declaredFields(meta);
  const [field = ""] = fields;
  return problem(
    `the condition ${name} reads ${text} after ${role}, whose meta does not require it; a missing field makes = and != false: use $exists`,
    declared.includes(field) ? null : suggest(field, declared),
  );
}

/** The nodes of the graph at which a condition is evaluated. */
function lastRoles({ graph }: AuthoredWorkflow, condition: string): readonly string[] {
  return Object.entries(graph)
    .filter(([, transitions]) => transitions.some((transition) => transition.condition === condition))
    .map(([key]) => key);
}

/**
 * Paths `steps[-1].output.…` over the whole context. None when the expression looks at the last step's role: then it
 * chooses by itself what it reads. A path about which it asks `$exists` somewhere is guarded.
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

/** The names behind `steps[-1]`; up to the first filter, since what a filter finds is no question of the schema. */
function fieldsOfLast({ steps = [] }: AstNode): readonly string[] | null {
  const [list, ...fields] = steps[0]?.value === "$" && steps[0].type === "variable" ? steps.slice(1) : steps;
  const [index, ...more] = list === undefined ? [] : filtersOf(list);
  if (list?.type !== "name" || list.value !== "steps" || index?.value !== -1 || more.length > 0) return null;
  const plain = fields.findIndex((step) => step.type !== "name" || filtersOf(step).length > 0);
  const sure = plain === -1 ? fields : fields.slice(0, fields[plain]?.type === "name" ? plain + 1 : plain);
  return sure.map(({ value }) => String(value));
}

/** Paths that start at the context: not what stands in a filter or behind a path's first step. */
function collect(node: AstNode, asked: boolean, found: { path: AstNode; asked: boolean }[]): void {
  if (node.type === "path") found.push({ path: node, asked });
  const first = node.steps?.[0];
  const exists = node.type === "function" && node.procedure?.value === "exists";
  for (const part of first === undefined ? [] : [first]) collect(part, asked, found);
  for (const part of node.arguments ?? []) collect(part, asked || exists, found);
  if (node.condition !== undefined) collect(node.condition, true, found);
  const parts = [
    node.lhs,
    node.rhs,
    node.expression,
    node.body,
    node.then,
    node.else,
    ...(node.expressions ?? []),
  ];
  for (const part of parts) if (part !== undefined && "type" in part) collect(part, asked, found);
}
