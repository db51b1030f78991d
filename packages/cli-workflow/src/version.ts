import { readFileSync } from "node:fs";

/** The version in this package's own package.json, two folders above the bundle. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return (manifest as { readonly version: string }).version;
}
