export { firstReply, prepareVisit, promptIn } from "./first-reply.js";
export { createAgent, type Prepared, playAgent, runAgent } from "./run.js";
export { prepare } from "./step.js";
