import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { err, ok, type Result } from "@uncaged/json-cas";
import { ioFault, readWithin } from "@uncaged/json-cas-fs";
import type { Fault } from "@uncaged/workflow-agent-kit";
import {
  DOCX_MAX_BYTES,
  type Document,
  type DocxFault,
  docxHint,
  docxMessage,
  type Outline,
  type OutlineBlock,
  openDocument,
} from "@uncaged/workflow-docx";

/** Why there is no document. */
export type DocumentFault = Fault | DocxRefusal;

/** What is wrong with a document, or with what is to be done to it. */
export type DocxRefusal = {
  readonly code: DocxFault["code"];
  /** The file as it was named, or what else is at fault. */
  readonly file: string;
  readonly faults: readonly [DocxFault, ...DocxFault[]];
};

export function refusal(file: string, faults: readonly DocxFault[]): DocxRefusal {
  const [first, ...more] = faults;
  if (first === undefined) throw new Error("a refusal has at least one fault");
  return { code: first.code, file, faults: [first, ...more] };
}

/** A document and its bytes. */
export type OpenFile = { readonly name: string; readonly bytes: Uint8Array; readonly document: Document };

/** A document by its path. Nothing but a regular file is read. */
export function readDocument(path: string): Result<OpenFile, DocumentFault> {
  const bytes = readFile(path, DOCX_MAX_BYTES);
  return bytes.ok ? open(basename(path), path, bytes.value) : bytes;
}

/** `file`: as a refusal names it. */
export function open(name: string, file: string, bytes: Uint8Array): Result<OpenFile, DocxRefusal> {
  const opened = openDocument(bytes);
  return opened.ok ? ok({ name, bytes, document: opened.value }) : err(refusal(file, [opened.error]));
}

/** A regular file, or stdin for `-`. Over `limit` bytes: TOO_LARGE. */
export function readFile(path: string, limit: number): Result<Buffer, Fault> {
  try {
    const fd = path === "-" ? 0 : openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (fd !== 0 && !stat.isFile()) return missing(path, stat.isDirectory() ? FOLDER : "it is no file");
      const bytes = readWithin(fd, limit);
      const size = stat.isFile() ? stat.size : null;
      return bytes === null ? err({ code: "TOO_LARGE", what: path, size, limit }) : ok(bytes);
    } finally {
      if (fd !== 0) closeSync(fd);
    }
  } catch (error) {
    const { fault } = ioFault("read", path, error);
    if (fault.code !== "IO_FAILED") throw error;
    return NO_FILE.has(fault.errno) ? missing(path, "it does not exist") : err(fault);
  }
}

/** If stat fails, the write reports why. */
export function readKind(path: string): "file" | "folder" | null {
  try {
    const stat = statSync(path);
    return stat.isDirectory() ? "folder" : stat.isFile() ? "file" : null;
  } catch {
    return null;
  }
}

/** Why a document cannot go to a folder. `file`: what it may be called there. */
export function folderProblem(folder: string, file: string): string {
  return `${folder} is a folder: name the document in it, such as ${join(folder, basename(file))}`;
}

const NO_FILE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

const FOLDER = "it is a folder";

function missing(path: string, reason: string): Result<never, Fault> {
  return err({ code: "FILE_NOT_FOUND", path, reason });
}

/** As a fault of the kit, whose table does not have the codes of documents. */
export function asFault(cause: DocumentFault): Fault {
  if (!("faults" in cause)) return cause;
  const [first] = cause.faults;
  return {
    code: "INVALID_INPUT",
    what: cause.file,
    reason: sentencesOf(cause.faults),
    hint: docxHint(first),
  };
}

/** Each with its code: `this is no .docx file: it is no zip (DOCX_NOT_ZIP)`. */
export function sentencesOf(faults: readonly DocxFault[]): string {
  return faults.map((fault) => `${docxMessage(fault)} (${fault.code})`).join("; ");
}

/** The file that a system error is about. */
export function pathOf(error: unknown): string | null {
  return error instanceof Error && "path" in error ? String(error.path) : null;
}

/**
 * An outline for an editor, person or model: a line for each block and each row of a table, with the number by which an
 * edit names it; at the end the styles. Above `maxCharacters` blocks are left out from the end, and a line says how to see
 * them.
 */
export function outlineText({ blocks, styles }: Outline, maxCharacters: number): string {
  const lines: string[] = [];
  let left = maxCharacters;
  for (const block of blocks) {
    const text = blockText(block);
    left -= text.length + 1;
    if (left < 0) break;
    lines.push(text);
  }
  const more = blocks.length - lines.length;
  if (more > 0)
    lines.push(
      `… ${more} more ${more === 1 ? "block" : "blocks"}, for which there is no room here: ` +
        "`uwf-agent-docx outline <file>` shows all, of a stored document after `uwf cas file get <hash> -o <file>`",
    );
  return [...lines, `styles: ${styles.join(", ")}`].join("\n");
}

function blockText({ block, kind, level, style, text, rows }: OutlineBlock): string {
  const what = kind === "heading" || (kind === "item" && level !== 1) ? `${kind} ${level}` : kind;
  const about = `${block} ${what}${style === null || kind === "heading" ? "" : ` (${style})`}:`;
  if (rows === null) return `${about} ${oneLine(text)}`.trimEnd();
  const shown = rows.map((row, index) => `  row ${index + 1}: ${row.map(oneLine).join(" | ")}`);
  return [about, ...shown].join("\n");
}

/** In what an edit expects, white space counts once. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
