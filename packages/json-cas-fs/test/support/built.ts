import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const packageDir = resolve(import.meta.dirname, "../..");
const root = resolve(packageDir, "../..");
let built = false;

/**
 * URL of this package's built index for child processes, which cannot read TypeScript. It is built first (nothing to
 * do when it is up to date), so that the tests run in a fresh clone.
 */
export function builtIndex(): string {
  if (!built)
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--build", packageDir]);
  built = true;
  return pathToFileURL(join(packageDir, "dist/index.js")).href;
}
