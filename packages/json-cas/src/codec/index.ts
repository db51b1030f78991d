export { DecodeError } from "./canonical.js";
export { decode, decodeNode, payloadBytesOf } from "./decode.js";
export { encode, encodeCopy, encodeNode, sameBytes } from "./encode.js";
