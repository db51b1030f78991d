import { isNotRegular, openRegular } from "@uncaged/json-cas-fs";
import { readTail } from "../files/index.js";

/**
 * The last `limit` bytes of a file of a run; "" where there is none. `null`: the agent, to whom the folder belongs as
 * much as to us, has put something else in its place (a pipe, a device, a link, a folder), which is not opened.
 * Throws `CasError` `IO_FAILED` for a file that cannot be read: a result that we cannot see must not be taken for none,
 * its step would be run a second time.
 */
export function runFileTail(path: string, limit: number): string | null {
  try {
    return readTail(path, limit, "refused");
  } catch (error) {
    if (isNotRegular(error)) return null;
    throw error;
  }
}

/** A file of a run that grows, open for reading; `null` while it is not there, or is something else. */
export function openRunFile(path: string): number | null {
  try {
    return openRegular(path, "refused");
  } catch {
    return null;
  }
}
