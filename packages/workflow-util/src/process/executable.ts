import { accessSync, constants, type Stats, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, resolve } from "node:path";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { readPrefix } from "./output.js";

/** The kernel itself reads no more of a `#!` line. */
const HEADER_BYTES = 256;

/**
 * Why the file cannot be executed, as the end of a sentence; `null` if the system would accept it. The answers are
 * the kernel's own (EACCES, ENOEXEC, a missing interpreter), given before the start: afterwards a shell in between
 * has turned them into exit codes that an agent uses too.
 */
export function refusalOf(file: string, path: string): string | null {
  return refusalOfFile(file) ?? refusalOfHeader(readPrefix(file, HEADER_BYTES), path);
}

function refusalOfFile(file: string): string | null {
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

// A header that is not readable (mode 0111) is left to the kernel.
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
  // The kernel takes the CR of a DOS line end for part of the interpreter's name, or of its argument.
  if (line.endsWith("\r")) return `its #! line "#!${line.trim()}" ends in CR (DOS line ends)`;
  const reason = refusalOfFile(interpreter);
  if (reason !== null) return `its interpreter cannot be used: ${reason}`;
  if (basename(interpreter) !== "env" || !/^[\w.+-]+$/.test(argument) || argument.startsWith("-"))
    return null;
  return findOnPath(argument, path, "/").found === null
    ? `its interpreter ${argument} is not on PATH (${path})`
    : null;
}

type Found = { readonly found: string | null; readonly refused: string | null };

/**
 * The first executable file of that name; like a shell, passes over what cannot be executed, but remembers why.
 * An empty entry of PATH is the working directory (POSIX).
 */
function findOnPath(name: string, path: string, cwd: string): Found {
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

function mayExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The absolute path of a command, as a shell finds it: with a slash relative to `cwd`, else on `path`.
 * Fails with AGENT_NOT_FOUND (nowhere on PATH) or AGENT_NOT_STARTABLE (there, but the system would refuse it).
 */
export function resolveCommand(
  command: string,
  where: { readonly path: string; readonly cwd: string },
): Result<string, Fault> {
  const refuse = (reason: string): Result<string, Fault> =>
    err(fault("AGENT_NOT_STARTABLE", { command, reason }));
  if (command === "") return refuse("its name is empty");
  if (command.includes("\0")) return refuse("its name contains a NUL character");
  if (!command.includes("/")) return resolveName(command, where);
  const file = isAbsolute(command) ? command : resolve(where.cwd, command);
  const reason = refusalOf(file, where.path);
  if (reason === null) return ok(file);
  return refuse(command.startsWith("~") ? `${reason}; ~ is a shell's, write the path out` : reason);
}

function resolveName(
  command: string,
  where: { readonly path: string; readonly cwd: string },
): Result<string, Fault> {
  const { found, refused } = findOnPath(command, where.path, where.cwd);
  if (found === null && refused === null)
    return err(fault("AGENT_NOT_FOUND", { command, path: where.path, suggestion: null }));
  const reason = found === null ? refused : refusalOf(found, where.path);
  if (found === null || reason !== null) {
    return err(fault("AGENT_NOT_STARTABLE", { command, reason: reason ?? "" }));
  }
  return ok(found);
}
