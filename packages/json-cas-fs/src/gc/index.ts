export { collectGarbage } from "./gc.js";
export type { GcFigures, GcOptions, Root, RootSource } from "./types.js";
