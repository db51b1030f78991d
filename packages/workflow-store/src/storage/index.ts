export { chosenRoot } from "./choose.js";
export { openStorage } from "./open.js";
export { pathsOf } from "./paths.js";
export { prepareRoot } from "./prepare.js";
export {
  lookAtRoot,
  type RootLook,
  type RootPlace,
  tryWriting,
  type Unwritable,
  unwritableFolders,
} from "./probe.js";
export { resolveStorageRoot } from "./resolve.js";
export { checkTrust } from "./trust.js";
export type { RootSource, Storage, StoragePaths } from "./types.js";
export { storeWriter } from "./writer.js";
