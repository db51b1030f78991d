import { lstatSync, readdirSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, ioFault } from "@uncaged/json-cas-fs";

/** The names in a folder, sorted; none when it does not exist. Throws `IO_FAILED`. */
export function folderNames(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw ioFault("list", path, error);
  }
}

/** Removes a file or a folder with all that is in it; what is not there is fine. Throws `IO_FAILED`. */
export function removeTree(path: string): void {
  try {
    // Retries: a process that is just being ended may still put a file into a folder that is being emptied.
    if (!removeFlat(path)) rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    throw ioFault("remove", path, error);
  }
}

/**
 * Removes a folder that holds files only, like every run: without the module that Node.js loads for a whole tree, which
 * is 1 ms of a step. `false` for anything else, and whenever the system refuses something.
 */
function removeFlat(path: string): boolean {
  try {
    if (!lstatSync(path).isDirectory()) return false;
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) return false;
      unlinkSync(join(path, entry.name));
    }
    rmdirSync(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}
