export { heartbeatOf, reportFault } from "./files.js";
export { type Meter, meterOf } from "./meter.js";
