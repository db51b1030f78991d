import { type CasFault, escapeControls, sanitizeTerminal } from "@uncaged/json-cas";
import { DOCX_EXIT_CODE, type DocxFault, docxHint, docxMessage } from "@uncaged/workflow-docx";

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
