import { packageVersion } from "@uncaged/workflow-util";
import { cursor } from "../adapters/index.js";
import { cliAgentMain } from "../main.js";

export function main(): void {
  void cliAgentMain(cursor, packageVersion(import.meta.dirname), process.argv.slice(2));
}
