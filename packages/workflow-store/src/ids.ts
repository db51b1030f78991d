import { WORKFLOW_NAME } from "@uncaged/workflow-protocol";

export { isThreadId, THREAD_ID } from "@uncaged/workflow-protocol";

/** Whether `name` may name a workflow; only such a name is ever turned into a path. */
export function isWorkflowName(name: string): boolean {
  return WORKFLOW_NAME.test(name);
}
