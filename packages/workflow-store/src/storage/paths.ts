import { join } from "node:path";
import type { StoragePaths } from "./types.js";

/** Where everything of a storage root lies; looks at nothing. */
export function pathsOf(root: string): StoragePaths {
  return {
    cas: join(root, "cas"),
    threads: join(root, "threads.yaml"),
    history: join(root, "history.jsonl"),
    registry: join(root, "registry.yaml"),
    runs: join(root, "runs"),
    config: join(root, "config.yaml"),
    dotEnv: join(root, ".env"),
    logs: join(root, "logs"),
    locks: join(root, "locks"),
    cache: join(root, "cache"),
  };
}
