export { junitText } from "./junit.js";
export {
  firstScenario,
  newScenario,
  parseFile,
  type ScenarioFile,
  scenariosOf,
  type Target,
  targetsOf,
} from "./scenarios.js";
export { type Subject, type Tested, testWorkflow, type Update } from "./test-workflow.js";
