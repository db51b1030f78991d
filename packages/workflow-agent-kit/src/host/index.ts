export { endProcess, processHost } from "./process-host.js";
export type { Env, Host } from "./types.js";
