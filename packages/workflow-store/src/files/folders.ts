import { readdirSync, rmSync } from "node:fs";
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
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    throw ioFault("remove", path, error);
  }
}
