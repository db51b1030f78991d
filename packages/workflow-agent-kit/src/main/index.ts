export { firstReply, prepareVisit, promptIn } from "./first-reply.js";
export { type ProgramAgent, type ProgramPort, runProgramAgent } from "./program-agent.js";
export { createAgent, type Prepared, playAgent, runAgent } from "./run.js";
export { prepare } from "./step.js";
