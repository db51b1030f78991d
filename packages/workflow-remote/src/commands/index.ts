export { command as fetch } from "./fetch.js";
export { command as gc } from "./gc.js";
export { command as init } from "./init.js";
export { command as push } from "./push.js";
export { command as status } from "./status.js";
export { command as submit } from "./submit.js";
export { command as worker } from "./worker.js";
