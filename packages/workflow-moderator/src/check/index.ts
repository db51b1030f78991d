export { checkExpression } from "./expression.js";
export type { ExpressionProblem, GraphProblem } from "./types.js";
export { checkWorkflow } from "./workflow.js";
