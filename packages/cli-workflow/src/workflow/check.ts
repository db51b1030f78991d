import { loadChecks } from "@uncaged/workflow-moderator";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { readWorkflowFile } from "@uncaged/workflow-store";
import type { CheckedWorkflow } from "./types.js";

/** Reads and checks a workflow file: all problems at once, in the order of the file. `strict` refuses warnings too. */
export async function checkWorkflowFile(
  file: string,
  strict: boolean,
): Promise<Result<CheckedWorkflow, Fault>> {
  const { checkWorkflow } = await loadChecks();
  const read = await readWorkflowFile(file, checkWorkflow);
  if (!read.ok) return read;
  const { authored, problems } = read.value;
  if (strict && problems.length > 0) return err(fault("INVALID_WORKFLOW", { file, problems }));
  return ok({ file, authored, warnings: problems });
}
