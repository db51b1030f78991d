import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ENV } from "@uncaged/workflow-protocol";

/** The version in a binary's own package.json, two folders above `folder`: `src/bin`, or a folder of bundles. */
export function packageVersion(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "../../package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}

/** Where Node.js keeps compiled code of our programs: `$XDG_CACHE_HOME/uwf` or `~/.cache/uwf`. `null` without a home. */
export function codeCacheFolder(env: Readonly<Record<string, string | undefined>>): string | null {
  const { HOME = "", [ENV.cacheHome]: cacheHome = "" } = env;
  const caches = isAbsolute(cacheHome) ? cacheHome : join(HOME, ".cache");
  return isAbsolute(caches) ? join(caches, "uwf") : null;
}
