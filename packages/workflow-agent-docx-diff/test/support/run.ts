import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { afterEachFile } from "../../../json-cas-fs/test/support/ends.js";
import { NEW, OLD } from "./documents.js";

export const BIN = resolve(import.meta.dirname, "../../bin");

const made: string[] = [];

// Not after each test: they may run several at once.
afterEachFile(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A folder with `old.docx` and `new.docx`. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "docx-diff-"));
  made.push(dir);
  writeFileSync(join(dir, "old.docx"), OLD);
  writeFileSync(join(dir, "new.docx"), NEW);
  return dir;
}

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export const PATH = [BIN, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);

export type Around = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string | Uint8Array;
};

/** Runs a program to its end, with the built binaries on PATH. */
export function run(command: string, args: readonly string[], around: Partial<Around> = {}): Ran {
  const { cwd = tmpdir(), env = {}, input = "" } = around;
  const ran = spawnSync(command, args, {
    cwd,
    input,
    env: { PATH, HOME: cwd, UWF_RUNTIME: "node", ...env },
    encoding: "utf8",
  });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

export function docxDiff(args: readonly string[], around: Partial<Around> = {}): Ran {
  return run("docx-diff", args, around);
}
