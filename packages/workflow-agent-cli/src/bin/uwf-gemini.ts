import { packageVersion } from "@uncaged/workflow-util";
import { gemini } from "../adapters/index.js";
import { cliAgentMain } from "../main.js";

export function main(): void {
  void cliAgentMain(gemini, packageVersion(import.meta.dirname), process.argv.slice(2));
}
