export { junitText } from "./junit.js";
export type { Tested } from "./test-workflow.js";
export { testWorkflows } from "./test-workflows.js";
