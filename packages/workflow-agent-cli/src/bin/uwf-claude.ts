import { packageVersion } from "@uncaged/workflow-util";
import { claude } from "../adapters/index.js";
import { cliAgentMain } from "../main.js";

export function main(): void {
  void cliAgentMain(claude, packageVersion(import.meta.dirname), process.argv.slice(2));
}
