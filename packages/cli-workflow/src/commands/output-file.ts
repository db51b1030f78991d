import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import { attempt, writeNewFile } from "@uncaged/workflow-store";
import { lines, bytes as sizeWords } from "../human/index.js";
import type { Host } from "../io.js";
import { document } from "./output.js";
import type { CommandOutput } from "./types.js";

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
  const isTaken = err(
    fault("INVALID_INPUT", {
      what: file,
      reason: "it exists already",
      hint: "name another file, or replace this one with --force",
    }),
  );
  if (!force && existsSync(file)) return isTaken;
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
