export {
  asText,
  count,
  inner,
  isRecord,
  list,
  recordIn,
  resultText,
  text,
  timeOf,
  tokensOf,
} from "./record.js";
export { type Listener, listen } from "./trace.js";
export type { AgentEvent, JsonRecord, Tokens, Trace } from "./types.js";
