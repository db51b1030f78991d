export { VERSION } from "./migrations.js";
export { openRemote } from "./remote.js";
export type {
  ClaimRequest,
  Leased,
  ListQuery,
  LogLine,
  LogQuery,
  NewChild,
  NewThread,
  Push,
  Pushed,
  Release,
  Remote,
  RemoteHold,
  RemoteNode,
  RemotePlace,
  RemoteRoot,
  RemoteStatus,
  RemoteThread,
  RemoteWorkspace,
  Wait,
} from "./types.js";
