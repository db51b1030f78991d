import { closeSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { err, type Fault, fault, IS_FOLDER, ok, type Result } from "@uncaged/workflow-protocol";
import { readWithin } from "@uncaged/workflow-store";
import type { Host } from "../io.js";

type TextSource = { readonly text: string | null; readonly file: string | null };

/** What the text is called, and its size limit. */
export type TextKind = {
  /** `the prompt` */
  readonly name: string;
  /** Bytes. */
  readonly limit: number;
  /** What to say if there is none, or more than one. */
  readonly missing: string;
  readonly both: string;
  /** `see \`uwf help …\`` */
  readonly usage: string;
};

/** A text from the command line, stdin (`-`) or a file: valid UTF-8, not empty, no NUL, within its limit. */
export function readGivenText(host: Host, { text, file }: TextSource, kind: TextKind): Result<string, Fault> {
  if (text !== null && file !== null) return err(fault("USAGE", { reason: kind.both, usage: kind.usage }));
  if (file !== null) return fromFile(resolve(host.cwd, file), kind);
  if (text === null) return err(fault("USAGE", { reason: kind.missing, usage: kind.usage }));
  return text === "-" ? fromStdin(host, kind) : check(text, kind.name, kind);
}

function fromStdin(host: Host, kind: TextKind): Result<string, Fault> {
  const what = `${kind.name} on stdin`;
  const bytes = host.readStdin(kind.limit);
  return bytes === null ? tooLarge(what, null, kind) : decode(bytes, what, kind);
}

function fromFile(path: string, kind: TextKind): Result<string, Fault> {
  const missing = (reason: string): Result<never, Fault> => err(fault("FILE_NOT_FOUND", { path, reason }));
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return missing("it does not exist");
    if (stat.isDirectory()) return missing(IS_FOLDER);
    if (stat.size > kind.limit) return tooLarge(path, stat.size, kind);
    // A pipe is read like stdin: `--prompt-file <(command)`.
    const fd = openSync(path, "r");
    try {
      const bytes = readWithin(fd, kind.limit);
      return bytes === null ? tooLarge(path, null, kind) : decode(bytes, path, kind);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return missing((error as Error).message);
  }
}

function decode(bytes: Uint8Array, what: string, kind: TextKind): Result<string, Fault> {
  try {
    return check(new TextDecoder("utf-8", { fatal: true }).decode(bytes), what, kind);
  } catch {
    return err(fault("INVALID_INPUT", { what, reason: "it is not valid UTF-8", hint: "save it as UTF-8" }));
  }
}

function check(text: string, what: string, { usage }: TextKind): Result<string, Fault> {
  if (text.trim() === "")
    return err(fault("INVALID_INPUT", { what, reason: "it is empty", hint: `write some text; ${usage}` }));
  if (text.includes("\0"))
    return err(
      fault("INVALID_INPUT", {
        what,
        reason: "it contains a NUL character",
        hint: "give text, not binary data",
      }),
    );
  if (/[\uD800-\uDFFF]/u.test(text))
    return err(fault("INVALID_INPUT", { what, reason: "it is not valid Unicode", hint: "save it as UTF-8" }));
  return ok(text);
}

function tooLarge(what: string, size: number | null, { limit }: TextKind): Result<never, Fault> {
  return err(fault("TOO_LARGE", { what, size, limit }));
}
