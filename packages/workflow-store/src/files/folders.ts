import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { fsyncDir, ioFault } from "@uncaged/json-cas-fs";
import { isAbsent } from "./absent.js";

/** Makes the folder and its parents, each one durable before anything is put into it; throws `IO_FAILED`. */
export function ensureFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) ensureFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    if (isFolder(path)) return;
    throw ioFault("create the folder", path, error);
  }
  fsyncDir(parent);
}

/** The names in a folder, sorted; none when it does not exist. Throws `IO_FAILED`. */
export function folderNames(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw ioFault("list", path, error);
  }
}

/** Removes a file or a folder with all that is in it; what is not there is fine. Throws `IO_FAILED`. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    throw ioFault("remove", path, error);
  }
}

function isFolder(path: string): boolean {
  return existsSync(`${path}/.`);
}
