import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { ioFault, isMissing, readWithin } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, fromCasFault, IS_FOLDER, ok, type Result } from "@uncaged/workflow-protocol";

// These mean that there is no file; everything else is a problem of the disk or of permissions.
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"]);

/** A regular file's UTF-8 text; `null` if there is none. Its size is checked before anything is read. */
export function readOptionalText(path: string, limit: number): Result<string | null, Fault> {
  if (isMissing(path)) return ok(null);
  try {
    return readRegular(path, limit);
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return ok(null);
    return err(fromCasFault(ioFault("read", path, error).fault));
  }
}

/** Like `readOptionalText`, but the file must exist. */
export function readUserText(path: string, limit: number): Result<string, Fault> {
  const text = readOptionalText(path, limit);
  if (!text.ok) return text;
  return text.value === null ? notReadable(path, "it does not exist") : ok(text.value);
}

function readRegular(path: string, limit: number): Result<string, Fault> {
  // Non-blocking: opening a named pipe without a writer would wait for ever.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (stat.isDirectory()) return notReadable(path, IS_FOLDER);
    if (!stat.isFile()) return notReadable(path, "it is not a regular file");
    if (stat.size > limit) return tooLarge(path, stat.size, limit);
    const bytes = readWithin(fd, limit);
    return bytes === null ? tooLarge(path, null, limit) : decode(path, bytes);
  } finally {
    closeSync(fd);
  }
}

function decode(path: string, bytes: Uint8Array): Result<string, Fault> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return err(fault("INVALID_INPUT", { what: path, reason: "it is not UTF-8 text" }));
  }
}

function notReadable(path: string, reason: string): Result<never, Fault> {
  return err(fault("FILE_NOT_FOUND", { path, reason }));
}

function tooLarge(path: string, size: number | null, limit: number): Result<never, Fault> {
  return err(fault("TOO_LARGE", { what: path, size, limit }));
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
