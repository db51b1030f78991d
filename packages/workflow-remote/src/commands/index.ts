export { gc, init, status } from "./remote.js";
export { fetch, push, submit } from "./threads.js";
export { worker } from "./worker.js";
