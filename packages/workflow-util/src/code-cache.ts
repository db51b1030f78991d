import { isAbsolute, join } from "node:path";

/** Where Node.js keeps compiled code of our programs: `$XDG_CACHE_HOME/uwf` or `~/.cache/uwf`. `null` without a home. */
export function codeCacheFolder(env: Readonly<Record<string, string | undefined>>): string | null {
  const { HOME = "", XDG_CACHE_HOME = "" } = env;
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, ".cache");
  return isAbsolute(caches) ? join(caches, "uwf") : null;
}
