export type { ExpressionProblem, GraphProblem } from "./check/index.js";
export { type Checks, loadChecks } from "./checks/index.js";
export { evaluateCondition } from "./condition/index.js";
export * from "./decide/index.js";
