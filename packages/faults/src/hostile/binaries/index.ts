export { openBench, type Records } from "./bench.js";
export { STORIES } from "./stories.js";
