export { amountOf, fieldsOf, isFields, listOf, shown, textOf } from "./fields.js";
export { parseMessage } from "./parse.js";
export type { Fields, Message, RequestId, RpcError } from "./types.js";
