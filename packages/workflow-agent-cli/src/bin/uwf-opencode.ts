import { packageVersion } from "@uncaged/workflow-util";
import { opencode } from "../adapters/index.js";
import { cliAgentMain } from "../main.js";

export function main(): void {
  void cliAgentMain(opencode, packageVersion(import.meta.dirname), process.argv.slice(2));
}
