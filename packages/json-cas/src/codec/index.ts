export { decode, decodeNode, payloadBytesOf } from "./decode.js";
export { encode, encodeCopy, encodeNode, sameBytes } from "./encode.js";
export { DecodeError } from "./error.js";
