export { OWN_BIN, OWN_UWF } from "./own-bin.js";
