import { type ThreadId, WORKFLOW_NAME } from "@uncaged/workflow-protocol";

/** Regular expression of a thread id as our files hold it: upper case only. What people type goes through `parseThreadId` of workflow-util. */
export const THREAD_ID = "[0-7][0-9A-HJKMNP-TV-Z]{25}";

const WHOLE = new RegExp(`^${THREAD_ID}$`);

export function isThreadId(value: unknown): value is ThreadId {
  return typeof value === "string" && WHOLE.test(value);
}

/** Whether `name` may name a workflow; only such a name is ever turned into a path. */
export function isWorkflowName(name: string): boolean {
  return WORKFLOW_NAME.test(name);
}
