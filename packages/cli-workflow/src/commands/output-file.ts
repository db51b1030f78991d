import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import { attempt, writeNewFile } from "@uncaged/workflow-store";
import type { Host } from "../io.js";
import type { CommandOutput } from "../line/index.js";
import { lines, bytes as sizeWords } from "../screen/index.js";
import { document } from "./output.js";

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
  if (isFolder(file)) return refused(file, "it is a folder", `name a file in it: ${join(output, "<name>")}`);
  if (!force && existsSync(file)) return isTaken;
  if (!existsSync(dirname(file)))
    return refused(file, `there is no folder ${dirname(file)}`, "make it first, or name another file");
  const written = attempt(() =>
    writeNewFile(file, force, (write) => {
      write(bytes);
      return true;
    }),
  );
  if (!written.ok) return written;
  if (written.value === null) return isTaken;
  return document({ file, size: bytes.length }, (screen) =>
    lines(screen, [`wrote ${file}, ${sizeWords(bytes.length)}`]),
  );
}

/** `false` if it cannot be inspected: writing then reports why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function refused(what: string, reason: string, hint: string): Result<never, Fault> {
  return err(fault("INVALID_INPUT", { what, reason, hint }));
}
