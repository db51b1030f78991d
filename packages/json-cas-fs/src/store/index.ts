export { lacksNode, lookAt, NODE_LIMIT } from "./bytes.js";
export { fsStoreFile, indexDir, indexFile, listNodes, namesOf, scanFolder, trashFile } from "./folder.js";
export { formatGuard, writtenBy } from "./format.js";
export { createFsStore } from "./fs-store.js";
export { announce, INDEX_LIMIT, isTooLarge, listTypes, parseIndex, readIndexBytes } from "./index-lines.js";
export { readNode } from "./read.js";
export { moveToTrash, restoreTrash, trashDamage } from "./trash.js";
export type { FsStore, FsStoreOptions, Hold } from "./types.js";
export { confirmNode, createNode, type Place, replaceNode } from "./write.js";
