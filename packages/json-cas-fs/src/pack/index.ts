export {
  LONGEST_NODE,
  MAGIC_LENGTH,
  PACK_MAGIC,
  packDir,
  packFile,
  packIndexFile,
  packNameOf,
} from "./format.js";
export { holdPacks } from "./lock.js";
export { createOrder } from "./order.js";
export { eachEntry, type OpenPack, type PackReader, packReaderOf } from "./reader.js";
export { removePack, touchPack } from "./remove.js";
export { scanPack } from "./scan.js";
export { eachPackedNode } from "./walk.js";
export { type NewPack, newPack, packOutput, writePackIndex } from "./write.js";
