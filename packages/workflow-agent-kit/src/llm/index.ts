export { chat } from "./chat.js";
export { configuredExtract, type ExtractSession } from "./configured.js";
export { chosenAlias, modelNamed } from "./model.js";
export { unfinishedBecause } from "./reply.js";
export { realPort } from "./retry.js";
export type { ChatFailure, ChatModel, ChatPort, ChatReply, ToolCall } from "./types.js";
