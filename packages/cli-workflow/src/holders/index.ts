export { holderOutput, verdictSentence } from "./holders.js";
export { type RunState, runState } from "./run-state.js";
