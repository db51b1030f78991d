import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { suggest } from "@uncaged/json-cas";
import { writeNewFile } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "@uncaged/workflow-store";
import { type Host, piecesOn, type TextSink } from "../io.js";
import type { CommandOutput } from "../line/index.js";
import type { ItemRenderer } from "../render.js";
import { type Human, lines, bytes as sizeWords } from "../screen/index.js";

/** A document, JSON unless something else is asked for; `human`: what a person sees on a terminal in its place. */
export function document(value: unknown, human: Human | null = null): Result<CommandOutput, never> {
  return ok({ kind: "document", value, human });
}

/** A document on stdout and, where something is wrong, the fault on stderr. */
export function documentWith(
  value: unknown,
  wrong: Fault | null,
  human: Human | null = null,
): Result<CommandOutput, never> {
  return wrong === null ? document(value, human) : ok({ kind: "failure", value, human, fault: wrong });
}

export function text(content: string): Result<CommandOutput, never> {
  return ok({ kind: "text", text: content, exitCode: 0 });
}

export function misused(reason: string, usage: string): Result<never, Fault> {
  return err(fault("USAGE", { reason, usage }));
}

export function invalid(what: string, reason: string, hint: string): Result<never, Fault> {
  return err(fault("INVALID_INPUT", { what, reason, hint }));
}

/** `, did you mean "planner"?`, if one of the known words is near. */
export function meantWords(word: string, known: readonly string[]): string {
  const meant = suggest(word, known);
  return meant === null ? "" : `, did you mean "${meant}"?`;
}

/** Items that are read one by one, each of which may turn out to be damaged. */
type Parts<T> = { readonly parts: readonly T[]; readonly read: (part: T) => Result<unknown, Fault> };

/**
 * Prints items, or nothing at all if one of them cannot be read: each is read twice, first to check it and then to print
 * it, so that memory is bounded however long the list is. Only damage that occurs in between truncates the output.
 */
export async function printAll<T>(
  stdout: TextSink,
  renderer: ItemRenderer,
  { parts, read }: Parts<T>,
): Promise<Result<void, Fault>> {
  for (const part of parts) {
    const whole = read(part);
    if (!whole.ok) return whole;
  }
  const pieces = piecesOn(stdout);
  for (const part of parts) {
    if (stdout.isClosed()) break;
    const item = read(part);
    if (!item.ok) return item;
    pieces.add(await renderer.item(item.value));
  }
  pieces.add(renderer.end());
  pieces.flush();
  return ok(undefined);
}

type Target = {
  readonly output: string;
  /** Whether a file that is there already is replaced. */
  readonly force: boolean;
};

/** Writes a result to a file that appears complete, and prints where it is. */
export function writeToFile(
  { cwd }: Host,
  { output, force }: Target,
  bytes: Buffer,
): Result<CommandOutput, Fault> {
  const file = resolve(cwd, output);
  const instead = "name another file, or replace this one with --force";
  const isTaken = err(fault("FILE_EXISTS", { path: file, instead }));
  if (isFolder(file)) return invalid(file, "it is a folder", `name a file in it: ${join(output, "<name>")}`);
  if (!force && existsSync(file)) return isTaken;
  if (!existsSync(dirname(file)))
    return invalid(file, `there is no folder ${dirname(file)}`, "make it first, or name another file");
  const written = writeWhole(file, bytes, force);
  if (!written.ok) return written;
  if (!written.value) return isTaken;
  return document({ file, size: bytes.length }, (screen) =>
    lines(screen, [`wrote ${file}, ${sizeWords(bytes.length)}`]),
  );
}

/** A file that appears complete; `false`: it is there already, and is not to be replaced. */
export function writeWhole(path: string, content: string | Buffer, force = false): Result<boolean, Fault> {
  const written = attempt(() =>
    writeNewFile(path, force, (write) => {
      write(content);
      return true;
    }),
  );
  return written.ok ? ok(written.value !== null) : written;
}

/** `false` if it cannot be inspected: writing then reports why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
