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
export {
  eachEntry,
  entryAt,
  type OpenPack,
  type PackLocation,
  type PackReader,
  packReaderOf,
  readPackedNode,
} from "./reader.js";
export { eachPackedNode, type PackWalk, scanPack } from "./scan.js";
export {
  holdFreePacks,
  holdPacks,
  type NewPack,
  newPack,
  type PackEntry,
  packOutput,
  removePacks,
  touchPack,
  writePackIndex,
} from "./write.js";
