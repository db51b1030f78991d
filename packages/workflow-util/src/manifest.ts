import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The version in a binary's own package.json, two folders above `folder`: `src/bin`, or a folder of bundles. */
export function packageVersion(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "../../package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}
