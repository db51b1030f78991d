export { chat } from "./chat.js";
export { configuredExtract, type ExtractSession } from "./configured.js";
export { realPort } from "./exchange.js";
export { chosenAlias, modelNamed } from "./model.js";
export { unfinishedBecause } from "./reply.js";
export type { ChatFailure, ChatModel, ChatPort, ChatReply, ToolCall } from "./types.js";
