import { closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { CasError } from "@uncaged/json-cas";
import { errnoOf } from "./io-fault.js";

// Windows knows neither flag. NONBLOCK: opening a named pipe must not wait for a writer.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opens for reading what may be anything, without following a link (`ELOOP`) and without waiting. */
export const READ_PLAIN: number = READ | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a regular file for reading. Throws `CasError` `IO_FAILED` for what is none, a link too unless `links` are
 * followed; and what the system says.
 */
export function openRegular(path: string, links: "followed" | "refused"): number {
  const fd = openOrRefuse(path, links === "followed" ? READ : READ_PLAIN);
  try {
    if (fstatSync(fd).isFile()) return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  throw notRegular(path);
}

/**
 * Whether nothing stands there; asked before what mostly is not there is opened. A failing open(2) throws, and the first
 * exception of a process takes bun 0.1 ms. What cannot be looked at is left to who opens it and says why.
 */
export function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function openOrRefuse(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    // ENXIO: a socket, or a device that is not there.
    if (errnoOf(error) === "ELOOP" || errnoOf(error) === "ENXIO") throw notRegular(path);
    throw error;
  }
}

const NOT_REGULAR = "EINVAL";

function notRegular(path: string): CasError {
  const reason = "it is not a regular file";
  return new CasError({ code: "IO_FAILED", operation: "read", path, errno: NOT_REGULAR, reason });
}

/** Whether an error says that something stands there which is no regular file. */
export function isNotRegular(error: unknown): boolean {
  return error instanceof CasError && error.fault.code === "IO_FAILED" && error.fault.errno === NOT_REGULAR;
}
