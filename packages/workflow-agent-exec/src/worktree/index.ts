export { type Pruned, prune } from "./prune.js";
export { gitWith, repositoryAt } from "./repository.js";
export { type End, HELP, parseWords, runInTree, USAGE } from "./run.js";
