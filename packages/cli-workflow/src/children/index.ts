export { playWorkflow } from "./agent.js";
export { childPrompt } from "./prompt.js";
export { type Answer, isPassing, lastingFault, OWN_UWF, type Uwf, uwfAt, warningsIn } from "./uwf.js";
export { HELP, parseWords } from "./words.js";
