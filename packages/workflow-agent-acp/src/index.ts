export { acpAgent } from "./agent.js";
export type { AcpAgent, Port, Times } from "./live.js";
