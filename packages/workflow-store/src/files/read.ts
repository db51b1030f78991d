import { closeSync } from "node:fs";
import { errnoOf, ioFault, isMissing, isNotRegular, openRegular, readWithin } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";

/** Bytes of a file that says one thing: a run, an ending, a thread's folder. */
const RECORD_LIMIT = 1024 * 1024;

/**
 * A whole file; `null` when there is none. What is no regular file, and what is larger than any that uwf writes, is
 * `STORE_DAMAGED`: a pipe or a device may never end.
 */
export function readBytes(path: string, limit = RECORD_LIMIT): Result<Buffer | null, Fault> {
  const read = withRegular(path, (fd) => ({ bytes: readWithin(fd, limit) }));
  if (!read.ok || read.value === null) return read.ok ? ok(null) : read;
  const { bytes } = read.value;
  return bytes === null ? err(tooLarge(path, limit)) : ok(bytes);
}

/** No file of the store is that large: somebody else wrote it, or something is very wrong. */
export function tooLarge(file: string, limit: number): Fault {
  return fault("STORE_DAMAGED", { file, reason: `it is larger than ${limit} bytes, the limit` });
}

/** What `look` makes of an open file, for files that are not to be held in memory; else as `readBytes`. */
export function withRegular<T>(path: string, look: (fd: number) => T): Result<T | null, Fault> {
  const opened = openOrNull(path);
  if (!opened.ok || opened.value === null) return opened.ok ? ok(null) : opened;
  const fd = opened.value;
  return attempt(() => {
    try {
      return look(fd);
    } catch (error) {
      throw ioFault("read", path, error);
    } finally {
      closeSync(fd);
    }
  });
}

function openOrNull(path: string): Result<number | null, Fault> {
  if (isMissing(path)) return ok(null);
  let isRegular = true;
  const opened = attempt(() => {
    try {
      return openRegular(path, "followed");
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return null;
      isRegular = !isNotRegular(error);
      throw ioFault("read", path, error);
    }
  });
  return isRegular ? opened : err(fault("STORE_DAMAGED", { file: path, reason: "it is not a regular file" }));
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

function decode(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  // Damage comes as U+FFFD, and a byte order mark is rare too: only then a decoder is worth the time that it takes to make.
  return text.includes("\ufffd") || text.startsWith("\ufeff") ? decodeStrictly(bytes) : text;
}

function decodeStrictly(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
