import type { ThreadId } from "@uncaged/workflow-protocol";

/** A thread id as our files hold it: upper case only. What people type goes through `parseThreadId` of workflow-util. */
export const THREAD_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isThreadId(value: unknown): value is ThreadId {
  return typeof value === "string" && THREAD_ID.test(value);
}
