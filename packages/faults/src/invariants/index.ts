export { type Breach, checkWorld, type Expected } from "./check-world.js";
export { type AgentStart, readLedger } from "./ledger.js";
export { type LoggedRun, loggedRuns } from "./log-lines.js";
export { brokenSteps } from "./steps.js";
