import {
  type AuthoredWorkflow,
  nearWorkflowName,
  type Problem,
  type ProblemCode,
  ROLE_NAME,
  WORKFLOW_NAME,
} from "@uncaged/workflow-protocol";
import { declaredFields, isObjectSchema, requires } from "./schema.js";

/** Where a problem is: a JSON Pointer into the document. */
type Spot = {
  readonly path: string;
  /** `null`: the entry's key. A number: that position in the text at `path`, in UTF-16 units. */
  readonly offset: number | "value" | null;
};

/** A problem of a workflow without its place in the file. */
export type GraphProblem = Omit<Problem, "line" | "column" | "also"> &
  Spot & { readonly also: readonly Spot[] };

/** A problem of one expression, without a path. */
export type ExpressionProblem = Omit<GraphProblem, "path" | "offset" | "also"> & {
  /** Position in the expression; `null`: all of it. */
  readonly offset: number | null;
};

export function error(
  code: ProblemCode,
  path: string,
  message: string,
  suggestion: string | null = null,
): GraphProblem {
  return problem("error", code, path, message, suggestion);
}

/** The same at the value of a path. */
export function refusal(
  code: ProblemCode,
  path: string,
  message: string,
  suggestion: string | null = null,
): GraphProblem {
  return { ...problem("error", code, path, message, suggestion), offset: "value" };
}

export function warning(
  code: ProblemCode,
  path: string,
  message: string,
  suggestion: string | null = null,
): GraphProblem {
  return problem("warning", code, path, message, suggestion);
}

function problem(
  severity: Problem["severity"],
  code: ProblemCode,
  path: string,
  message: string,
  suggestion: string | null,
): GraphProblem {
  return { severity, code, path, offset: null, message, suggestion, also: [] };
}

/** A JSON Pointer. */
export function pointer(...parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** A role's output is an object. The store checks whether `meta` is a valid schema. */
export function checkMetas({ roles }: AuthoredWorkflow): readonly GraphProblem[] {
  return Object.entries(roles)
    .filter(([, { meta }]) => !isObjectSchema(meta))
    .map(([role, { meta }]) => {
      const message = `the meta of ${role} must describe an object: "type: object" at its root, or in every branch of a root oneOf or anyOf`;
      return typeof meta.type === "string"
        ? refusal("invalid-schema", pointer("roles", role, "meta", "type"), message, "object")
        : error("invalid-schema", pointer("roles", role, "meta"), message);
    });
}

/**
 * Where every field is optional, `{}` is an output, and the next role is chosen by an output that says nothing. Of a role whose
 * transitions have conditions: what decides nothing may be empty. A `meta` without fields keeps all that a header has.
 */
export function checkRequired({ roles, graph }: AuthoredWorkflow): readonly GraphProblem[] {
  const decides = (role: string): boolean =>
    Object.hasOwn(graph, role) && (graph[role] ?? []).some(({ condition }) => condition !== null);
  return Object.entries(roles).flatMap(([role, { meta }]) => {
    const fields = [...new Set(declaredFields(meta))];
    if (!decides(role) || fields.length === 0 || fields.some((field) => requires(meta, [field]))) return [];
    const message = `the meta of ${role} requires no field, so an empty output decides who comes next: list what it must say under required`;
    return [warning("nothing-required", pointer("roles", role, "meta"), message)];
  });
}

export function checkNames({ name, roles }: AuthoredWorkflow): readonly GraphProblem[] {
  const problems = WORKFLOW_NAME.test(name)
    ? []
    : [
        refusal(
          "invalid",
          "/name",
          `the name ${quoted(name)} must be lower-case words joined by "-", like solve-issue`,
          nearWorkflowName(name),
        ),
      ];
  const badRoles = Object.keys(roles).filter((role) => !ROLE_NAME.test(role));
  return [
    ...problems,
    ...badRoles.map((role) =>
      error(
        "invalid",
        pointer("roles", role),
        `the role name ${quoted(role)} must start with a letter and have at most 64 letters, digits, "_" and "-"`,
        nearRoleName(role),
      ),
    ),
  ];
}

function nearRoleName(text: string): string | null {
  const name = text.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[^A-Za-z]+|-+$/g, "");
  return ROLE_NAME.test(name) ? name : null;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
