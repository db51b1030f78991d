import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { checkConditions, checkFacts, checkOutputs } from "./conditions.js";
import { checkGraph, checkReach } from "./graph.js";
import { meantWorkflow } from "./misnamed.js";
import type { GraphProblem } from "./problem.js";
import { checkMetas, checkNames, checkRequired } from "./problem.js";

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
