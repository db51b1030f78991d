export { createAgent } from "./create-agent.js";
export { firstReply } from "./first-reply.js";
export { prepare } from "./prepare.js";
export { playAgent, runAgent } from "./run.js";
export type { Prepared } from "./types.js";
