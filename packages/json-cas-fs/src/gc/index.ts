export { collectGarbage } from "./gc.js";
export type { GcFigures, GcOptions, Root, Trouble } from "./marker.js";
