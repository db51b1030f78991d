import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { type AstNode, nodesOf } from "../engine/index.js";
import { type Places, placesOf } from "../infer/index.js";
import type { ParsedCondition } from "./expression.js";
import type { ExpressionProblem } from "./problem.js";
import { declaredFields } from "./schema.js";

// A field of several steps is a list, which equals no text and is neither true nor false: `steps.output.approved` is a
// boolean after the first step and never again.

const COMPARES: ReadonlySet<unknown> = new Set(["=", "!=", "<", "<=", ">", ">="]);
const FIELDS: ReadonlySet<unknown> = new Set(["role", "output", "detail", "agent"]);
const LITERALS: ReadonlySet<string> = new Set(["string", "number", "value"]);

/** Where a condition takes a field of several steps for one value. */
export function comparesSeveralSteps(
  { graph, roles }: AuthoredWorkflow,
  { text, ast }: ParsedCondition,
): readonly ExpressionProblem[] {
  const places = placesOf(text);
  const found = [...nodesOf(ast)].flatMap((node) => {
    const { lhs, rhs } = node;
    if (node === ast && node.type === "path") return [{ path: node, node }];
    if (!COMPARES.has(node.value) || lhs === undefined || rhs === undefined) return [];
    if (LITERALS.has(rhs.type)) return [{ path: lhs, node }];
    return LITERALS.has(lhs.type) ? [{ path: rhs, node }] : [];
  });
  return found.flatMap(({ path, node }) => {
    const read = readOfSteps(path);
    const role = read === null ? null : repeated(read, { graph, roles });
    return role === null ? [] : [problemAt(path, node, role, places)];
  });
}

/** `steps[role='x'].output.f`: the role, if the filter names one, and the field; `null` for a field of every step. */
type Read = { readonly role: string | null; readonly field: string | null };

function readOfSteps({ type, steps = [] }: AstNode): Read | null {
  if (type !== "path") return null;
  const [list, part, field] = steps[0]?.type === "variable" ? steps.slice(1) : steps;
  if (
    list?.value !== "steps" ||
    part?.type !== "name" ||
    !FIELDS.has(part.value) ||
    part.stages !== undefined
  )
    return null;
  if (field?.stages !== undefined || (part.value === "output" && field?.type !== "name")) return null;
  const filters = (list.stages ?? []).map(({ expr }) => expr);
  if (filters.some((filter) => filter?.type !== "binary" || !TESTS.has(filter.value))) return null;
  const tested = filters.flatMap((filter) => (filter === undefined ? [] : rolesIn(filter)));
  return { role: tested[0] ?? null, field: part.value === "output" ? String(field?.value) : null };
}

/** Operators of a filter that is no index. */
const TESTS: ReadonlySet<unknown> = new Set([...COMPARES, "and", "or", "in"]);

function rolesIn({ value, lhs, rhs }: AstNode): readonly string[] {
  if (lhs === undefined || rhs === undefined) return [];
  if (value === "and") return [...rolesIn(lhs), ...rolesIn(rhs)];
  const name = lhs.type === "path" && lhs.steps?.length === 1 ? lhs.steps[0]?.value : null;
  return value === "=" && name === "role" && rhs.type === "string" ? [String(rhs.value)] : [];
}

type Graph = Pick<AuthoredWorkflow, "graph" | "roles">;

/** A role whose field there can be twice; `null`: none. */
function repeated({ role, field }: Read, { graph, roles }: Graph): string | null {
  const names = Object.entries(roles)
    .filter(
      ([name, { meta }]) =>
        name === (role ?? name) && (field === null || declaredFields(meta).includes(field)),
    )
    .map(([name]) => name);
  return names.find((name) => reachedFrom(graph, name).some((next) => names.includes(next))) ?? null;
}

/** The roles that can follow, sooner or later: the role itself only in a loop. */
function reachedFrom(graph: Graph["graph"], role: string): readonly string[] {
  const reached = new Set<string>();
  const waiting = [role];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop())
    for (const { role: next } of (Object.hasOwn(graph, from) ? graph[from] : null) ?? [])
      if (!reached.has(next)) {
        reached.add(next);
        waiting.push(next);
      }
  return [...reached];
}

function problemAt(path: AstNode, node: AstNode, role: string, places: Places): ExpressionProblem {
  const shown = places.textOf(path);
  const isWhole = path === node;
  const never = isWhole ? "neither true nor false" : "never what it is compared with";
  const message = `${shown} is a list once there are two such steps (${role} can be followed by another), and a list is ${never}: say which step`;
  const meant = shown.replace(/^((?:\$\$\.)?steps(?:\[[^\][]*\])?)\./, "$1[-1].");
  return {
    severity: "warning",
    code: isWhole ? "not-boolean" : "cannot-be-equal",
    offset: places.startOf(path),
    message,
    suggestion: meant === shown ? null : meant,
  };
}
