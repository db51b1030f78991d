import { closeSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readWithin } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, IS_FOLDER, ok, type Result } from "@uncaged/workflow-protocol";
import type { Host } from "../io.js";
import { invalid, misused } from "./output.js";

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
  if (text !== null && file !== null) return misused(kind.both, kind.usage);
  if (file !== null) return fromFile(resolve(host.cwd, file), kind);
  if (text === null) return misused(kind.missing, kind.usage);
  return text === "-"
    ? decode(host.readStdin(kind.limit), `${kind.name} on stdin`, kind)
    : check(text, kind.name, kind);
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
      return decode(readWithin(fd, kind.limit), path, kind);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return missing((error as Error).message);
  }
}

/** `bytes`: `null` if there are more than the limit. */
function decode(bytes: Uint8Array | null, what: string, kind: TextKind): Result<string, Fault> {
  if (bytes === null) return tooLarge(what, null, kind);
  try {
    return check(new TextDecoder("utf-8", { fatal: true }).decode(bytes), what, kind);
  } catch {
    return invalid(what, "it is not valid UTF-8", "save it as UTF-8");
  }
}

function check(text: string, what: string, { usage }: TextKind): Result<string, Fault> {
  if (text.trim() === "") return invalid(what, "it is empty", `write some text; ${usage}`);
  if (text.includes("\0")) return invalid(what, "it contains a NUL character", "give text, not binary data");
  if (/[\uD800-\uDFFF]/u.test(text)) return invalid(what, "it is not valid Unicode", "save it as UTF-8");
  return ok(text);
}

function tooLarge(what: string, size: number | null, { limit }: TextKind): Result<never, Fault> {
  return err(fault("TOO_LARGE", { what, size, limit }));
}
