import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";

/** Why no agent can work in a folder; `null` when one can. */
export function checkFolder(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder`;
    accessSync(folder, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    if (code === "ENOENT" || code === "ENOTDIR") return `there is no ${folder}`;
    return code === "EACCES" ? `${folder} may not be read` : `${folder} cannot be read (${code})`;
  }
}

/** The value of `--cwd`, or of `what`, resolved against the caller's folder; `null` if not given. */
export function givenFolder(
  cwd: string,
  text: string | null,
  what: "--cwd" | "--cwd-below" = "--cwd",
): Result<string | null, Fault> {
  if (text === null) return ok(null);
  const folder = resolve(cwd, text);
  const reason = text === "" ? "it is empty" : checkFolder(folder);
  const hint = `give a folder that is there and that you may read, as in ${what} .`;
  return reason === null ? ok(folder) : err(fault("INVALID_INPUT", { what, reason, hint }));
}

/** Whether a path leads to that folder or into it, wherever links on the way lead; `false` where nothing is there. */
export function leadsInto(path: string, folder: string): boolean {
  try {
    const [real, top] = [realpathSync(path), realpathSync(folder)];
    return real === top || real.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
  } catch {
    return false;
  }
}
