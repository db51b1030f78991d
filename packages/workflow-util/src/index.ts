/// <reference types="node" preserve="true" />
export * from "./frontmatter/index.js";
export * from "./ids/index.js";
export * from "./logger/index.js";
export * from "./manifest/index.js";
export * from "./process/index.js";
export * from "./secrets/index.js";
export * from "./terminal/index.js";
