export { expandDetail, type MissingPart } from "./expand.js";
export { readReply } from "./reply.js";
export {
  type ExtractSummary,
  readSession,
  readSessionUsage,
  type SessionSummary,
  sessionUsageIn,
} from "./session.js";
