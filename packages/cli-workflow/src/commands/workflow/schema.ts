import { configSchema, workflowSchema } from "@uncaged/workflow-store";
import type { CommandContext, CommandResult } from "../../line/index.js";
import { document } from "../output.js";

/** What an editor needs to complete and check a workflow file, or config.yaml. */
export async function workflowSchemaOf(
  _context: CommandContext,
  { config }: { readonly config: boolean },
): CommandResult {
  return document(config ? configSchema() : workflowSchema());
}
