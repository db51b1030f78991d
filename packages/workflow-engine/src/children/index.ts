export { playWorkflow } from "./agent.js";
export { type Answer, isPassing, lastingFault, type Uwf, uwfAt, warningsIn } from "./uwf.js";
export { HELP, parseWords } from "./words.js";
