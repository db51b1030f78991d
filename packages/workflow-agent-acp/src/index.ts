export { type AcpAgent, acpAgent, type Port, type Times } from "./agent/index.js";
