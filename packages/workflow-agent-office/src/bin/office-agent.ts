import { packageVersion } from "@uncaged/workflow-util";
import { start } from "../host.js";
import { officeAgent } from "../office-agent.js";

export function main(): void {
  start(packageVersion(import.meta.dirname), officeAgent);
}
