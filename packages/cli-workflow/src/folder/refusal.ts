import { accessSync, constants, statSync } from "node:fs";

/** Why no agent can work in a folder; `null` when one can. */
export function refusalOf(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is no folder`;
    accessSync(folder, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    if (code === "ENOENT" || code === "ENOTDIR") return `there is no ${folder}`;
    return code === "EACCES" ? `${folder} may not be read` : `${folder} cannot be read (${code})`;
  }
}
