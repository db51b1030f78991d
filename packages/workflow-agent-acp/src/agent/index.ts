export { acpAgent } from "./acp.js";
export type { AcpAgent, Port, Times } from "./live.js";
