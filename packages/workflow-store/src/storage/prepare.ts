import { makeDir } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import type { Storage } from "./types.js";

/** Makes the root's folder for a command that writes; a place that cannot hold one is `STORAGE_ROOT_UNUSABLE`. */
export function prepareRoot(storage: Storage): Result<void, Fault> {
  const made = attempt(() => makeDir(storage.root));
  if (made.ok) return ok(undefined);
  if (made.error.code !== "IO_FAILED") return made;
  const { reason, errno } = made.error;
  return err(fault("STORAGE_ROOT_UNUSABLE", { path: storage.root, reason: `${reason} (${errno})` }));
}
