import { packageVersion } from "@uncaged/workflow-util";
import { pi } from "../adapters/index.js";
import { cliAgentMain } from "../main.js";

export function main(): void {
  void cliAgentMain(pi, packageVersion(import.meta.dirname), process.argv.slice(2));
}
