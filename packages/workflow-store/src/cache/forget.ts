import type { ThreadId } from "@uncaged/workflow-protocol";
import { quietly, removeBoth } from "../files/index.js";
import { cacheFile, isOurs } from "./files.js";
import type { CachePlace } from "./types.js";

/** Removes what the cache has of a thread that ends, if that is possible: what stays is harmless. */
export function forgetHistory(storage: CachePlace, thread: ThreadId): void {
  quietly(() => {
    if (isOurs(storage, thread)) removeBoth(cacheFile(storage, thread));
  });
}
