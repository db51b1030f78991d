export {
  LONGEST_NODE,
  MAGIC_LENGTH,
  PACK_MAGIC,
  packDir,
  packFile,
  packIndexFile,
  packNameOf,
  sha256,
} from "./format.js";
export { holdFreePacks, holdPacks } from "./lock.js";
export { createOrder } from "./order.js";
export {
  eachEntry,
  type OpenPack,
  type PackLocation,
  type PackReader,
  packReaderOf,
  readPackedNode,
} from "./reader.js";
export { scanPack } from "./scan.js";
export { eachPackedNode, type PackedVisit } from "./walk.js";
export {
  type NewPack,
  newPack,
  type PackEntry,
  packOutput,
  removePacks,
  touchPack,
  writePackIndex,
} from "./write.js";
