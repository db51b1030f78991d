export { junitText } from "./junit.js";
export { type Tested, testWorkflows } from "./test-workflows.js";
