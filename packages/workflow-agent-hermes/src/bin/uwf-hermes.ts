import { cliAgentMain } from "@uncaged/workflow-agent-cli";
import { packageVersion } from "@uncaged/workflow-util";
import { hermes } from "../hermes.js";

export function main(): void {
  void cliAgentMain(hermes, packageVersion(import.meta.dirname), process.argv.slice(2));
}
