import { join } from "node:path";
import { createFsStore } from "@uncaged/json-cas-fs";
import type { Storage, StoragePaths } from "./types.js";

/** Opens the root without touching it: it costs the same with ten threads or a hundred thousand. */
export function openStorage(root: string, { now }: { readonly now: () => number }): Storage {
  const paths = pathsOf(root);
  return { root, cas: createFsStore(paths.cas, { now }), paths, now };
}

function pathsOf(root: string): StoragePaths {
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
