import { statSync } from "node:fs";
import { ioFault } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { chosenRoot } from "./choose.js";
import type { RootSource } from "./types.js";

/**
 * The storage root's absolute path: the long variable, else the short one, else `~/.uncaged/workflow`.
 * Set but empty counts as unset; a relative path starts at the working directory.
 * A root that does not exist is fine (it is empty); one that is not a folder is `STORAGE_ROOT_UNUSABLE`.
 */
export function resolveStorageRoot(source: RootSource): Result<string, Fault> {
  const root = chosenRoot(source);
  if (root === null) {
    return unusable("~/.uncaged/workflow", "the environment names no home folder (HOME is not set)");
  }
  if (root.includes("\0")) return unusable(JSON.stringify(root), "a path holds no NUL");
  const problem = problemOf(root);
  return problem === null ? ok(root) : unusable(root, problem);
}

function problemOf(root: string): string | null {
  try {
    const there = statSync(root, { throwIfNoEntry: false });
    return there === undefined || there.isDirectory() ? null : "it is not a folder";
  } catch (error) {
    return ioFault("look at", root, error).message;
  }
}

function unusable(path: string, reason: string): Result<never, Fault> {
  return err(fault("STORAGE_ROOT_UNUSABLE", { path, reason }));
}
