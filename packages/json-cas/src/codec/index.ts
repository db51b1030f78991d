export { decode, decodeNode } from "./decode.js";
export { encode, encodeCopy, encodeNode, sameBytes } from "./encode.js";
export { DecodeError } from "./error.js";
