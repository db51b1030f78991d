import { ENV } from "@uncaged/workflow-protocol";
import type { RootSource } from "./types.js";

/** The storage root's absolute path, whatever is there; `null` when the environment names none, and no home folder. */
export function chosenRoot({ env, cwd, home }: RootSource): string | null {
  const named = env[ENV.storageRoot] || env[ENV.storageRootShort];
  if (named) return resolved(cwd, named);
  return home ? resolved(cwd, `${home}/.uncaged/workflow`) : null;
}

/** node:path takes bun 1 ms to load, and is nearly never needed. */
function resolved(cwd: string, path: string): string {
  return isResolved(path) ? path : process.getBuiltinModule("node:path").resolve(cwd, path);
}

/** Whether `resolve` would leave an absolute path as it is. */
function isResolved(path: string): boolean {
  const [before, ...names] = path.split("/");
  return before === "" && names.length > 0 && names.every((name) => !CHANGED.has(name));
}

const CHANGED: ReadonlySet<string> = new Set(["", ".", ".."]);
