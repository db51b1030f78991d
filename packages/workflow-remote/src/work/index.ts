export {
  type Ends,
  type FetchedThread,
  fetchLeased,
  fetchNodes,
  placeFetched,
  pushHead,
  withLease,
} from "./exchange.js";
export { gitWith } from "./git.js";
export { parseGitAddress } from "./git-address.js";
export { logLinesOf } from "./log-lines.js";
export { withRemote } from "./open.js";
export { inScratch, onRemoteThread } from "./scratch.js";
export { isTriedAgain, rootWords, threadTable } from "./words.js";
export { type WorkFigures, type WorkRequest, work } from "./worker.js";
export { createWorkspaces } from "./workspace.js";
