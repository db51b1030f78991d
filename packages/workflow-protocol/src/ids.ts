import type { Hash } from "@uncaged/json-cas";

declare const threadBrand: unique symbol;
declare const refBrand: unique symbol;

/** A reference to a node: json-cas's branded hash. */
export type CasRef = Hash;

/** A reference typed by what it refers to. */
export type Ref<T> = CasRef & { readonly [refBrand]?: T };

/** A standard ULID, 26 characters, upper case. */
export type ThreadId = string & { readonly [threadBrand]: true };

/** Regular expression of a thread id as our files hold it: upper case only. What people type goes through `parseThreadId` of workflow-util. */
export const THREAD_ID = "[0-7][0-9A-HJKMNP-TV-Z]{25}";

const WHOLE = new RegExp(`^${THREAD_ID}$`);

export function isThreadId(value: unknown): value is ThreadId {
  return typeof value === "string" && WHOLE.test(value);
}
