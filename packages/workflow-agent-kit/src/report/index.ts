export { heartbeatOf, writeReport } from "./files.js";
