export { collectGarbage } from "./collect.js";
export type { GcFigures, GcOptions, Root, RootSource } from "./types.js";
