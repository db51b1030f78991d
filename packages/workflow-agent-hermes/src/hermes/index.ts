export { chat } from "./chat.js";
export { exportRun, exportSession, type WholeRun } from "./export.js";
export { type Features, type Probed, probe } from "./features.js";
export { hermesProgram } from "./program.js";
