export { checkExpression } from "./expression.js";
export type { ExpressionProblem, GraphProblem } from "./problem.js";
export { checkWorkflow } from "./workflow.js";
