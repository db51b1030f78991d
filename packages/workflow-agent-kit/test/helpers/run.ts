// What tests of agents in other packages need: they run their agent in this process.

export { expandDetail, readChainNode } from "@uncaged/workflow-store";
export { runAgent } from "../../src/main/index.js";
