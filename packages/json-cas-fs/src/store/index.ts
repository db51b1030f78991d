export { listNodes, namesOf, scanFolder } from "./folder.js";
export { formatGuard } from "./format.js";
export { createFsStore } from "./fs-store.js";
export { announce, listTypes, parseIndex, readIndexBytes } from "./index-lines.js";
export { fsStoreFile, indexDir, indexFile } from "./layout.js";
export { readNode } from "./read.js";
export type { FsStoreOptions } from "./types.js";
