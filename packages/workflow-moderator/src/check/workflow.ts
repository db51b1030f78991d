import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { checkExpression } from "./expression.js";
import { checkGraph } from "./graph.js";
import { checkMetas } from "./meta.js";
import { checkNames } from "./names.js";
import { pointer } from "./problem.js";
import { checkReach } from "./reach.js";
import { checkReads } from "./reads.js";
import type { GraphProblem } from "./types.js";

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
    ...checkReads(workflow),
  ];
}

function checkConditions({ conditions }: AuthoredWorkflow): readonly GraphProblem[] {
  return Object.entries(conditions).flatMap(([name, { expression }]) =>
    checkExpression(expression).map(
      (problem): GraphProblem => ({
        ...problem,
        path: pointer("conditions", name, "expression"),
        message: `the condition ${name}: ${problem.message}`,
      }),
    ),
  );
}
