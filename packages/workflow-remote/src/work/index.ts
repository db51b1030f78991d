export {
  type Ends,
  type FetchedThread,
  fetchLeased,
  fetchNodes,
  placeFetched,
  pushHead,
  withLease,
} from "./exchange.js";
export { gitWith, parseGitAddress } from "./git.js";
export { logLinesOf } from "./log-lines.js";
export { inScratch, onRemoteThread, withRemote } from "./scratch.js";
export { isTriedAgain, rootWords, threadTable } from "./words.js";
export { type WorkFigures, type WorkRequest, work } from "./worker.js";
export { createWorkspaces } from "./workspace.js";
