export { createAgent, type Prepared, playAgent, runAgent } from "./run.js";
export { firstReply, prepare, prepareVisit, promptIn } from "./step.js";
