export { VERSION } from "./migrations.js";
export { openRemote } from "./remote.js";
export type {
  ClaimRequest,
  Leased,
  ListQuery,
  LogLine,
  NewThread,
  Push,
  Pushed,
  Release,
  Remote,
  RemoteHold,
  RemoteNode,
  RemoteStatus,
  RemoteThread,
} from "./types.js";
