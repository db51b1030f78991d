import { packageVersion } from "@uncaged/workflow-util";
import { llmMain } from "../main.js";

export function main(): void {
  void llmMain("react", packageVersion(import.meta.dirname), process.argv.slice(2));
}
