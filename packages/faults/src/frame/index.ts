export { randomOf } from "./random.js";
export { type Extent, runKind } from "./run-kind.js";
export type { Kind, KindReport, Random, Report, Session, Violation } from "./types.js";
