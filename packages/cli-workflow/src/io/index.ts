export { processHost } from "./host.js";
export { type Pieces, piecesOn } from "./pieces.js";
export { newToken } from "./token.js";
export type { Host, Messages, TextSink } from "./types.js";
