export { sha256 } from "./entries.js";
export {
  LONGEST_NODE,
  MAGIC_LENGTH,
  PACK_MAGIC,
  packDir,
  packFile,
  packIndexFile,
  packNameOf,
} from "./format.js";
export { holdFreePacks, holdPacks } from "./lock.js";
export { MOST_PACKS, toMerge } from "./merge.js";
export { createOrder } from "./order.js";
export { eachEntry, type OpenPack, type PackReader, packReaderOf } from "./reader.js";
export { removePacks, touchPack } from "./remove.js";
export { scanPack } from "./scan.js";
export { eachPackedNode, type PackedVisit } from "./walk.js";
export { type NewPack, newPack, packOutput, writePackIndex } from "./write.js";
