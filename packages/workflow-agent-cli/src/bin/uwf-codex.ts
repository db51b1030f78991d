import { packageVersion } from "@uncaged/workflow-util";
import { codex } from "../adapters/index.js";
import { cliAgentMain } from "../main.js";

export function main(): void {
  void cliAgentMain(codex, packageVersion(import.meta.dirname), process.argv.slice(2));
}
