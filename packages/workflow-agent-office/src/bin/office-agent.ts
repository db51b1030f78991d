import { packageVersion } from "@uncaged/workflow-util";
import { officeAgent } from "../model/index.js";
import { start } from "../start.js";

export function main(): void {
  start(packageVersion(import.meta.dirname), officeAgent);
}
