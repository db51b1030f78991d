export { isForeignSchema } from "./foreign.js";
export { createMarker, type Marker } from "./mark.js";
export { type NodeOutcome, readForNext } from "./read.js";
export { countReferrers, placesAfter } from "./referrers.js";
export { scanTable } from "./scan.js";
export type { ReadNode, Trouble } from "./types.js";
