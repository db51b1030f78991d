import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import {
  CasError,
  type CasFault,
  err,
  escapeControls,
  ok,
  type Result,
  sanitizeTerminal,
} from "@uncaged/json-cas";
import { errnoOf, ioFault, readWithin, writeFileAtomic, writeOut } from "@uncaged/json-cas-fs";
import {
  DOCX_EXIT_CODE,
  DOCX_MAX_BYTES,
  type Document,
  type DocxFault,
  docxFault,
  docxHint,
  docxMessage,
  openDocument,
} from "@uncaged/workflow-docx";

/** A document by its path, which may be a pipe; `-` is stdin. */
export function readDocument(path: string): Result<Document, ToolFault> {
  const file = path === "-" ? "stdin" : path;
  const read = readBytes(path);
  if (!read.ok) return read;
  if (read.value.bytes === null) {
    const { size } = read.value;
    return err({ file, ...docxFault("DOCX_TOO_LARGE", { bytes: size, limit: DOCX_MAX_BYTES }) });
  }
  const opened = openDocument(read.value.bytes);
  return opened.ok ? opened : err({ file, ...opened.error });
}

type Read = { readonly bytes: Uint8Array | null; readonly size: number };

function readBytes(path: string): Result<Read, ToolFault> {
  const isStdin = path === "-";
  try {
    const fd = isStdin ? 0 : openSync(path, "r");
    try {
      const bytes = readWithin(fd, DOCX_MAX_BYTES);
      // The length of a pipe is unknown until it ends.
      return ok({ bytes, size: Math.max(fstatSync(fd).size, DOCX_MAX_BYTES + 1) });
    } finally {
      if (!isStdin) closeSync(fd);
    }
  } catch (error) {
    const { fault } = ioFault("read", isStdin ? "stdin" : path, error);
    if (fault.code !== "IO_FAILED") throw error;
    if (fault.errno === "EISDIR")
      return err({ code: "FILE_NOT_FOUND", path: fault.path, reason: "it is a folder" });
    return err(
      NO_FILE.has(fault.errno) ? { code: "FILE_NOT_FOUND", path: fault.path, reason: fault.reason } : fault,
    );
  }
}

const NO_FILE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/** If stat fails, the write reports why. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether two paths lead to one file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/**
 * Writes a result: complete or not at all, in the place of the file that had its name. A pipe or a device is written
 * into.
 */
export function writeResult(path: string, bytes: Uint8Array): Result<null, ToolFault> {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there === undefined || there.isFile() || there.isDirectory())
      writeFileAtomic(path, bytes, { mode: null });
    else writeInto(path, bytes);
    return ok(null);
  } catch (error) {
    return failed("write", path, error);
  }
}

function writeInto(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, "w");
  try {
    writeOut(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

/** A refusal of the file system; a bug is thrown. */
export function failed(operation: string, path: string, error: unknown): Result<never, ToolFault> {
  if (!(error instanceof CasError) && errnoOf(error) === null) throw error;
  const { fault } = ioFault(operation, path, error);
  if (fault.code !== "IO_FAILED") throw error;
  return err(fault);
}

/** Why there is no result. Nothing has been written then. */
export type ToolFault =
  | { readonly code: "USAGE"; readonly reason: string }
  | { readonly code: "FILE_NOT_FOUND"; readonly path: string; readonly reason: string }
  | Extract<CasFault, { readonly code: "IO_FAILED" }>
  | (DocxFault & {
      /** What is at fault, as it was named. */
      readonly file: string;
    })
  | { readonly code: "BUG"; readonly reason: string };

/** 1 says that the documents differ, so a bug has the code that sysexits.h has for it. */
const EXIT_CODES = { USAGE: 2, FILE_NOT_FOUND: 3, IO_FAILED: 74, BUG: 70 } as const;

export function exitCodeOf(fault: ToolFault): number {
  return "file" in fault ? DOCX_EXIT_CODE : EXIT_CODES[fault.code];
}

function messageOf(fault: ToolFault): string {
  if ("file" in fault) return `${fault.file}: ${docxMessage(fault)}`;
  switch (fault.code) {
    case "USAGE":
      return fault.reason;
    case "FILE_NOT_FOUND":
      return `cannot read ${fault.path}: ${fault.reason}`;
    case "IO_FAILED":
      return `cannot ${fault.operation} ${fault.path}: ${fault.reason}`;
    case "BUG":
      return `this is a bug in docx-diff: ${fault.reason}`;
  }
}

const HINTS = {
  USAGE: "see `docx-diff --help`",
  FILE_NOT_FOUND: "check the path",
  IO_FAILED: "check free space and permissions, then repeat the command",
  BUG: "run it again with UWF_DEBUG=1 and report the stack trace",
} as const;

function hintOf(fault: ToolFault): string {
  return "file" in fault ? docxHint(fault) : HINTS[fault.code];
}

/** What a failure prints on stderr: two lines, or one JSON object. Documents and paths may hold control characters. */
export function renderFault(fault: ToolFault, asJson: boolean): string {
  const [message, hint] = [messageOf(fault), hintOf(fault)];
  if (!asJson) return sanitizeTerminal(`error[${fault.code}]: ${message}\nhint: ${hint}\n`);
  const { code, ...data } = fault;
  const retryable = code === "IO_FAILED";
  return `${escapeControls(JSON.stringify({ code, message, hint, retryable, data }))}\n`;
}
