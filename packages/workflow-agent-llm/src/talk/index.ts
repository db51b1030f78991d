export { assistant, spoken, tool, user } from "./messages.js";
export { messagesOf, resultsText } from "./replay.js";
