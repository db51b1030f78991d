import type { StoragePaths } from "./types.js";

/** Where everything of a storage root lies; looks at nothing. Without node:path, which takes bun 1 ms to load. */
export function pathsOf(root: string): StoragePaths {
  const at = (name: string): string => `${root === "/" ? "" : root}/${name}`;
  return {
    cas: at("cas"),
    threads: at("threads.yaml"),
    history: at("history.jsonl"),
    registry: at("registry.yaml"),
    runs: at("runs"),
    config: at("config.yaml"),
    dotEnv: at(".env"),
    logs: at("logs"),
    locks: at("locks"),
    cache: at("cache"),
  };
}
