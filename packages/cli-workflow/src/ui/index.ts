export { watchNews } from "./live.js";
export { readsOf } from "./reads.js";
export { serveUi, type UiServer } from "./server.js";
