import { isAbsolute, join } from "node:path";
import { ENV } from "@uncaged/workflow-protocol";

/** Where Node.js keeps compiled code of our programs: `$XDG_CACHE_HOME/uwf` or `~/.cache/uwf`. `null` without a home. */
export function codeCacheFolder(env: Readonly<Record<string, string | undefined>>): string | null {
  const { HOME = "", [ENV.cacheHome]: cacheHome = "" } = env;
  const caches = isAbsolute(cacheHome) ? cacheHome : join(HOME, ".cache");
  return isAbsolute(caches) ? join(caches, "uwf") : null;
}
