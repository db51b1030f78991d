export { gitWith } from "./git.js";
export { type Pruned, prune } from "./prune.js";
export { repositoryAt } from "./repository.js";
export { type End, runInTree } from "./run.js";
export { HELP, parseWords, USAGE } from "./words.js";
