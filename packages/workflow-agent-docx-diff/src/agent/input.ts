import { copyFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isHash, ok, type Result } from "@uncaged/json-cas";
import { type Fault, readStoredFile, referenceField } from "@uncaged/workflow-agent-kit";
import { type Document, docxHint, docxMessage, openDocument } from "@uncaged/workflow-docx";
import { readDocument, type ToolFault } from "../tool/index.js";
import type { Work } from "./types.js";

/** One of the two documents. */
export type Input = {
  readonly document: Document;
  /** Absolute. */
  readonly path: string;
  /** What the role's output says of it. */
  readonly field: string;
};

/**
 * Opens a document by its path or its hash. A stored one is put into the run's folder, for who needs a path; so is one
 * from elsewhere if the role's output refers to the stored file, since files of a step come from its own folder.
 */
export function openInput(
  { context, port, folder }: Work,
  reference: string,
  field: "sourceDocx" | "modifiedDocx",
): Result<Input, Fault> {
  const own = join(folder, `${field === "sourceDocx" ? "source" : "modified"}.docx`);
  const isStored = referenceField(context.metaSchema, field) === "one";
  if (isHash(reference)) {
    const file = readStoredFile(context.store, reference);
    if (!file.ok) return file;
    const opened = openDocument(file.value.bytes);
    if (!opened.ok) {
      const { name } = file.value;
      return { ok: false, error: asFault({ file: `${name} (${reference})`, ...opened.error }) };
    }
    writeFileSync(own, file.value.bytes, { flag: "wx" });
    return ok({ document: opened.value, path: own, field: isStored ? reference : own });
  }
  const path = resolve(port.cwd, reference);
  const read = readDocument(path);
  if (!read.ok) return { ok: false, error: asFault(read.error) };
  if (!isStored) return ok({ document: read.value, path, field: path });
  copyFileSync(path, own);
  return ok({ document: read.value, path: own, field: own });
}

/** As a fault of the kit, whose table does not have the codes of documents. */
export function asFault(cause: ToolFault): Fault {
  if ("file" in cause) {
    const reason = `${docxMessage(cause)} (${cause.code})`;
    return { code: "INVALID_INPUT", what: cause.file, reason, hint: docxHint(cause) };
  }
  if (cause.code === "FILE_NOT_FOUND" || cause.code === "IO_FAILED") return cause;
  throw new Error(cause.reason);
}
