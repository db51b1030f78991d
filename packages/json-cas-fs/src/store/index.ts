export {
  allowPacks,
  formatGuard,
  fsStoreFile,
  indexDir,
  indexFile,
  trashedNodes,
  trashFile,
  writtenBy,
} from "./folder.js";
export { createFsStore, type FsStore, type FsStoreOptions, type Hold } from "./fs-store.js";
export { announce, INDEX_LIMIT, isTooLarge, listTypes, parseIndex, readIndexBytes } from "./index-lines.js";
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
export {
  confirmNode,
  moveToTrash,
  type NodeFolder,
  replaceNode,
  restoreTrash,
  trashDamage,
} from "./write.js";
