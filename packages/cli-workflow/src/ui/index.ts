export { watchNews } from "./live.js";
export { readsOf } from "./reads.js";
export { serveUi } from "./server.js";
