export { chat, configuredExtract, type ExtractSession } from "./chat.js";
export { realPort } from "./exchange.js";
export type { ChatFailure, ChatModel, ChatPort, ChatReply, ChatRequest, ToolCall } from "./model.js";
export { chosenAlias, modelNamed } from "./model.js";
export { unfinishedBecause } from "./reply.js";
