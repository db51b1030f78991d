export { makeDir as ensureFolder } from "@uncaged/json-cas-fs";
export { LARGEST_DERIVED, quietly, readDerived, removeBoth, writeAnew, writeAt } from "./derived.js";
export { folderNames, removeTree } from "./folders.js";
export { readBytes, readText, tooLarge, utf8Of, withRegular } from "./read.js";
export { readTail } from "./tail.js";
