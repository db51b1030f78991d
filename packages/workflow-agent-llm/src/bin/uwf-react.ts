import { packageVersion } from "@uncaged/workflow-util";
import { llmMain } from "../main/index.js";

export function main(): void {
  void llmMain("react", packageVersion(import.meta.dirname), process.argv.slice(2));
}
