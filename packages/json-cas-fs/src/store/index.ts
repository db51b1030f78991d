export { inspectBytes, NODE_LIMIT, readFile, readNodeBytes } from "./bytes.js";
export { CLASH, clashesIn } from "./clash.js";
export { fsStoreFile, indexDir, indexFile, looseNodes, readNames, scanFolder, trashFile } from "./folder.js";
export { allowPacks, formatGuard, writtenBy } from "./format.js";
export { createFsStore } from "./fs-store.js";
export {
  announce,
  INDEX_LIMIT,
  isTooLarge,
  listTypes,
  parseIndex,
  readIndexBytes,
} from "./index-lines.js";
export { isForeignSchema, readForNext } from "./next.js";
export { MOST_PACKS, mergePacks, type PackFigures, type PackOptions, packStore } from "./pack.js";
export { findPacked, forgetPacks, packsOf, refuseBrokenPacks } from "./packed.js";
export { checked, hashesNow, nodeIn, readNode, typeIn } from "./read.js";
export { moveToTrash, restoreTrash, trashDamage } from "./trash.js";
export type { FsStore, FsStoreOptions, Hold } from "./types.js";
export { confirmNode, type NodeFolder, replaceNode } from "./write.js";
