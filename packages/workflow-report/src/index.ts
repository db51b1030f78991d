export * from "./graph/index.js";
export * from "./report/index.js";
