export { type Ends, fetchNodes, giveBack, takeIn, withLease } from "./exchange.js";
export { withRemote } from "./open.js";
export { type WorkFigures, type WorkRequest, work } from "./worker.js";
