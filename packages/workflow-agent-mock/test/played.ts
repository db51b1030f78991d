// For tests of other packages that play the mock in their own process.
export { mockAgent } from "../src/index.js";
