import { resolve } from "node:path";
import { isHash, type Result } from "@uncaged/json-cas";
import { readStoredFile } from "@uncaged/workflow-agent-kit";
import { type DocumentFault, type OpenFile, open, readDocument } from "../document.js";
import type { Work } from "./types.js";

/** A document by the hash of a stored file, or by its path from uwf's working folder. */
export function readSource({ context, port }: Work, reference: string): Result<OpenFile, DocumentFault> {
  if (!isHash(reference)) {
    const read = readDocument(resolve(port.cwd, reference));
    return read;
  }
  const file = readStoredFile(context.store, reference);
  return file.ok ? open(file.value.name, `${file.value.name} (${reference})`, file.value.bytes) : file;
}
