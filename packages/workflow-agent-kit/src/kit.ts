// What the binaries of agents share, as one file: each loads it instead of carrying it.
export { readWithin } from "@uncaged/json-cas-fs";
export * from "@uncaged/workflow-util";
export { endProcess, processHost } from "./host.js";
export * from "./index.js";
export { runPrompt } from "./next-prompt.js";
export { runWrite, type Sources } from "./write.js";
