export { countReferrers, type Graph, type GraphPack, hashesNow, readGraph } from "./graph.js";
export { createMarker, type Marker, type Trouble } from "./marker.js";
export { isForeignSchema, readForNext } from "./next.js";
