import { flag } from "@uncaged/command-line";
import { configSchema, workflowSchema } from "@uncaged/workflow-store";
import { defineCommand } from "../../line/index.js";
import { document } from "../output.js";

/** What an editor needs to complete and check a workflow file, or config.yaml. */
export const command = defineCommand({
  path: "workflow schema",
  summary: "print the JSON Schema of a workflow file, for editors",
  options: { config: flag("the schema of config.yaml") },
  examples: [
    "uwf workflow schema > workflow.schema.json",
    "uwf workflow schema --config > config.schema.json",
  ],
  notes: `Editors with a YAML language server use it in files that begin with
  # yaml-language-server: $schema=workflow.schema.json`,
  sample: {
    line: "workflow schema",
    prints: `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
…`,
  },
  run: async (_context, { config }) => document(config ? configSchema() : workflowSchema()),
});
