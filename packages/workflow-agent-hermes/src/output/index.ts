export { errorMark, failureLine, reachedLimit, sessionIdIn, textIn } from "./read.js";
