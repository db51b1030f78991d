import { accessSync, constants, type Stats, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, resolve } from "node:path";
import { readPrefix } from "./read-prefix.js";

/** The kernel itself reads no more of a `#!` line. */
const HEADER_BYTES = 256;

/**
 * Why the file cannot be executed, as the end of a sentence; `null` when the system would take it.
 * The answers are the kernel's own (EACCES, ENOEXEC, a missing interpreter), given before the start:
 * afterwards a shell in between has turned them into exit codes that an agent uses too.
 */
export function refusalOf(file: string, path: string): string | null {
  return refusalOfFile(file) ?? refusalOfHeader(readPrefix(file, HEADER_BYTES), path);
}

export function refusalOfFile(file: string): string | null {
  const stat = statOrReason(file);
  if (typeof stat === "string") return stat;
  if (stat.isDirectory()) return `${file} is a directory`;
  if (!stat.isFile()) return `${file} is not a regular file`;
  return mayExecute(file) ? null : `${file} is not executable (permission denied)`;
}

function statOrReason(file: string): Stats | string {
  try {
    return statSync(file, { throwIfNoEntry: false }) ?? `there is no file ${file}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// A header that nobody may read (mode 0111) is left to the kernel.
function refusalOfHeader(header: Buffer | null, path: string): string | null {
  if (header === null) return null;
  if (header.length === 0) return "the file is empty";
  if (header.subarray(0, 2).toString("latin1") === "#!") return refusalOfShebang(header, path);
  // Binary formats are many (ELF, Mach-O, binfmt_misc): the kernel judges them.
  return header.includes(0) ? null : "it is a text without a #! line (exec format error)";
}

function refusalOfShebang(header: Buffer, path: string): string | null {
  const line = header.subarray(2).toString("utf8").split("\n", 1)[0] ?? "";
  const [interpreter = "", argument = ""] = line
    .replace(/\r$/, "")
    .trim()
    .split(/[ \t]+/);
  if (interpreter === "") return "its #! line names no interpreter";
  // The kernel takes the CR of a DOS line end for a part of the interpreter's name, or of its argument.
  if (line.endsWith("\r")) return `its #! line "#!${line.trim()}" ends in CR (DOS line ends)`;
  const reason = refusalOfFile(interpreter);
  if (reason !== null) return `its interpreter cannot be used: ${reason}`;
  if (basename(interpreter) !== "env" || !/^[\w.+-]+$/.test(argument) || argument.startsWith("-"))
    return null;
  return findOnPath(argument, path, "/").found === null
    ? `its interpreter ${argument} is not on PATH (${path})`
    : null;
}

export type Found = { readonly found: string | null; readonly refused: string | null };

/**
 * The first executable file of that name; like a shell, passes over what cannot be executed, but remembers why.
 * An empty entry of PATH is the working directory (POSIX).
 */
export function findOnPath(name: string, path: string, cwd: string): Found {
  let refused: string | null = null;
  for (const entry of path === "" ? [] : path.split(delimiter)) {
    const file = resolve(cwd, entry, name);
    const reason = refusalOfFile(file);
    if (reason === null) return { found: file, refused: null };
    if (refused === null && isFile(file)) refused = reason;
  }
  return { found: null, refused };
}

function isFile(file: string): boolean {
  const stat = statOrReason(file);
  return typeof stat !== "string" && stat.isFile();
}

export function absolute(command: string, cwd: string): string {
  return isAbsolute(command) ? command : resolve(cwd, command);
}

function mayExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
