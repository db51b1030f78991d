export { introduce } from "./introduce.js";
export { setModel } from "./model.js";
export { type Opened, openSession } from "./open.js";
export { failed } from "./outcome.js";
export { sendPrompt } from "./prompt.js";
export type { Failure, Finished, Introduced, OpenSession, Talk } from "./types.js";
