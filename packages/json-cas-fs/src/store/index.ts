export { inspectBytes, lacksNode, NODE_LIMIT, readFile } from "./bytes.js";
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
export { listNodes } from "./list.js";
export { mergePacks } from "./merge.js";
export { forgetPacks, packsOf, packWith } from "./packed.js";
export { nodeIn, readNode, soundBytes } from "./read.js";
export { moveToTrash, restoreTrash, trashDamage } from "./trash.js";
export type { FsStore, FsStoreOptions, Hold, SoundNode } from "./types.js";
export { confirmNode, type NodeFolder, replaceNode } from "./write.js";
