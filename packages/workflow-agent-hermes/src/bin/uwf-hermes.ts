import { cliAgentMain, hermes } from "@uncaged/workflow-agent-cli";
import { packageVersion } from "@uncaged/workflow-util";

export function main(): void {
  void cliAgentMain(hermes, packageVersion(import.meta.dirname), process.argv.slice(2));
}
