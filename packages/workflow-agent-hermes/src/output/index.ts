export { errorMark, failureLine, isLost, reachedLimit, sessionIdIn, textIn } from "./read.js";
export { streamEvents } from "./stream.js";
