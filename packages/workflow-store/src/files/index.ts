export { ensureFolder, folderNames, removeTree } from "./folders.js";
export { readTail, readText } from "./read.js";
