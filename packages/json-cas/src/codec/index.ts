export { DecodeError } from "./canonical.js";
export { decode, decodeNode, LAST_TIME, payloadBytesOf } from "./decode.js";
export { encode, encodeAround, encodeCopy, encodeNode, sameBytes } from "./encode.js";
