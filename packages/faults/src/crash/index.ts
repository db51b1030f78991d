export { type CrashOptions, crash, crashWith, type Points } from "./crash.js";
