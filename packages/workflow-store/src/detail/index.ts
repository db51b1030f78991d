export { expandDetail } from "./expand.js";
export { replyText } from "./reply-text.js";
