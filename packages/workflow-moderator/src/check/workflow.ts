import {
  type AuthoredWorkflow,
  nearWorkflowName,
  ROLE_NAME,
  WORKFLOW_NAME,
} from "@uncaged/workflow-protocol";
import { checkConditions, checkFacts, checkOutputs } from "./conditions.js";
import { checkGraph, checkReach } from "./graph.js";
import { meantWorkflow } from "./misnamed.js";
import { error, type GraphProblem, pointer, refusal, warning } from "./problem.js";
import { declaredFields, isObjectSchema, requires } from "./schema.js";

/**
 * The checks of `uwf workflow put` on names, graph and expressions of a workflow with a valid shape; reports all problems
 * at once. Does not check whether each `meta` is a valid schema.
 */
export function checkWorkflow(written: AuthoredWorkflow): readonly GraphProblem[] {
  const { problems, workflow, pathOf } = meantWorkflow(written);
  const found = [
    ...checkNames(workflow),
    ...checkMetas(workflow),
    ...checkRequired(workflow),
    ...checkConditions(workflow),
    ...checkFacts(workflow),
    ...checkOutputs(workflow),
    ...checkGraph(workflow),
    ...checkReach(workflow),
  ];
  return [...problems, ...found.map((problem) => ({ ...problem, path: pathOf(problem.path) }))];
}

/** A role's output is an object. The store checks whether `meta` is a valid schema. */
function checkMetas({ roles }: AuthoredWorkflow): readonly GraphProblem[] {
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
function checkRequired({ roles, graph }: AuthoredWorkflow): readonly GraphProblem[] {
  const decides = (role: string): boolean =>
    Object.hasOwn(graph, role) && (graph[role] ?? []).some(({ condition }) => condition !== null);
  return Object.entries(roles).flatMap(([role, { meta }]) => {
    const fields = [...new Set(declaredFields(meta))];
    if (!decides(role) || fields.length === 0 || fields.some((field) => requires(meta, [field]))) return [];
    const message = `the meta of ${role} requires no field, so an empty output decides who comes next: list what it must say under required`;
    return [warning("nothing-required", pointer("roles", role, "meta"), message)];
  });
}

function checkNames({ name, roles }: AuthoredWorkflow): readonly GraphProblem[] {
  const problems = WORKFLOW_NAME.test(name)
    ? []
    : [
        refusal(
          "invalid",
          "/name",
          `the name ${JSON.stringify(name)} must be lower-case words joined by "-", like solve-issue`,
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
        `the role name ${JSON.stringify(role)} must start with a letter and have at most 64 letters, digits, "_" and "-"`,
        nearRoleName(role),
      ),
    ),
  ];
}

function nearRoleName(text: string): string | null {
  const name = text.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[^A-Za-z]+|-+$/g, "");
  return ROLE_NAME.test(name) ? name : null;
}
