import { closeSync, readFileSync } from "node:fs";
import { errnoOf, ioFault, isNotRegular, openRegular } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";

/** A whole file; `null` when there is none. What is no regular file is `STORE_DAMAGED`: a pipe or a device may never end. */
export function readBytes(path: string): Result<Buffer | null, Fault> {
  let isRegular = true;
  const bytes = attempt(() => {
    try {
      return readRegular(path);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return null;
      isRegular = !isNotRegular(error);
      throw ioFault("read", path, error);
    }
  });
  return isRegular ? bytes : err(fault("STORE_DAMAGED", { file: path, reason: "it is not a regular file" }));
}

function readRegular(path: string): Buffer {
  const fd = openRegular(path, "followed");
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** A whole text file without its byte order mark; `null` when there is none. Bytes that are not UTF-8 are `STORE_DAMAGED`. */
export function readText(path: string): Result<string | null, Fault> {
  const bytes = readBytes(path);
  if (!bytes.ok || bytes.value === null) return bytes.ok ? ok(null) : bytes;
  const text = decode(bytes.value);
  return text === null
    ? err(fault("STORE_DAMAGED", { file: path, reason: "it is not UTF-8 text" }))
    : ok(text);
}

/** Text that was read byte by byte (latin1) as the UTF-8 that it is, without a byte order mark; `null` when it is none. */
export function utf8Of(latin1: string): string | null {
  return decode(Buffer.from(latin1, "latin1"));
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
