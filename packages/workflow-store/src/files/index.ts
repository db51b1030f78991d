export { makeDir as ensureFolder } from "@uncaged/json-cas-fs";
export { folderNames, removeTree } from "./folders.js";
export { readBytes, readText, utf8Of, withRegular } from "./read.js";
export { readTail } from "./tail.js";
