export { makeDir as ensureFolder } from "@uncaged/json-cas-fs";
export { folderNames, removeTree } from "./folders.js";
export { readTail, readText } from "./read.js";
