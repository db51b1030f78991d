import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ENV } from "@uncaged/workflow-protocol";

// The first file of every binary runs this before anything else: it is a module that imports no other of ours but ENV.

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

/** The signals that ask a program to end. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type EndingSignal = (typeof ENDING)[number];

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Signals that our parent ignores (`nohup`, `&` in a script) and that we must go on ignoring. The runtimes reset
 * them, so the launcher names them in a variable, which also carries them to what we start.
 */
export function ignoredSignals(env: Env): readonly EndingSignal[] {
  const names = (env[ENV.ignoredSignals] || "").split(" ");
  return ENDING.filter((signal) => names.includes(signal.slice(3)));
}

/** Those that end us. */
export function endingSignals(env: Env): readonly EndingSignal[] {
  const ignored = ignoredSignals(env);
  return ENDING.filter((signal) => !ignored.includes(signal));
}
