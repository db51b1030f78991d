export * from "./fault/index.js";
export * from "./node/index.js";
export * from "./result/index.js";
