import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { checkConditions } from "./conditions.js";
import { checkGraph, checkReach } from "./graph.js";
import type { GraphProblem } from "./problem.js";
import { checkMetas, checkNames } from "./problem.js";

/**
 * Everything that `uwf workflow put` says about names, the graph and the expressions of a workflow whose shape is
 * right; all problems at once. Whether each `meta` is a valid schema is not asked here.
 */
export function checkWorkflow(workflow: AuthoredWorkflow): readonly GraphProblem[] {
  return [
    ...checkNames(workflow),
    ...checkMetas(workflow),
    ...checkConditions(workflow),
    ...checkGraph(workflow),
    ...checkReach(workflow),
  ];
}
