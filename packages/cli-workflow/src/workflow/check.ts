import { checkWorkflow } from "@uncaged/workflow-moderator";
import { type Fault, fault, ok, err, type Problem, type Result } from "@uncaged/workflow-protocol";
import { readWorkflowFile } from "@uncaged/workflow-store";
import type { CheckedWorkflow } from "./types.js";

/** Reads and checks a workflow file: all problems at once, in the order of the file. */
export function checkWorkflowFile(file: string, strict: boolean): Result<CheckedWorkflow, Fault> {
  const read = readWorkflowFile(file);
  if (!read.ok) return read;
  const { authored, problems, locate } = read.value;
  const found = checkWorkflow(authored).map((problem): Problem => ({ ...problem, ...locate(problem.path) }));
  const all = [...problems, ...found].sort(byPosition);
  const refused = strict ? all : all.filter((problem) => problem.severity === "error");
  if (refused.length > 0) return err(fault("INVALID_WORKFLOW", { file, problems: refused }));
  return ok({ file, authored, warnings: all });
}

function byPosition(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
