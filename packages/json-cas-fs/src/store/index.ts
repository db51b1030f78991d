export { fsStoreFile, indexDir, indexFile, readNames, scanFolder, trashFile } from "./folder.js";
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
export {
  CLASH,
  clashesIn,
  eachNode,
  hashesNow,
  type Inventory,
  type PackContent,
  takeInventory,
  unlessUnknown,
} from "./inventory.js";
export { MOST_PACKS, mergePacks, type PackFigures, type PackOptions, packStore } from "./pack.js";
export {
  type Damage,
  damageOfFile,
  findPacked,
  forgetPacks,
  inspectBytes,
  isForeignSchema,
  nodeIn,
  orDamage,
  packsOf,
  readNext,
  readNode,
  refuseBrokenPacks,
  typeIn,
  VANISHED,
} from "./read.js";
export { moveToTrash, restoreTrash, trashDamage } from "./trash.js";
export type { FsStore, FsStoreOptions, Hold } from "./types.js";
export { confirmNode, type NodeFolder, replaceNode } from "./write.js";
