export { expandDetail } from "./expand.js";
export { readReply } from "./reply.js";
export { readSessionUsage } from "./usage.js";
