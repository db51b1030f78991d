import { join, resolve } from "node:path";
import { ENV } from "@uncaged/workflow-protocol";
import type { RootSource } from "./types.js";

/** The storage root's absolute path, whatever is there; `null` when the environment names none, and no home folder. */
export function chosenRoot({ env, cwd, home }: RootSource): string | null {
  const named = env[ENV.storageRoot] || env[ENV.storageRootShort];
  if (named) return resolve(cwd, named);
  return home ? join(resolve(cwd, home), ".uncaged", "workflow") : null;
}
