import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The version in this package's own package.json, two folders above the bundle. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}
