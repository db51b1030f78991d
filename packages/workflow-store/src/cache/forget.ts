import type { ThreadId } from "@uncaged/workflow-protocol";
import type { Storage } from "../storage/index.js";
import { cacheFile, isOurs, quietly, removeBoth } from "./files.js";

/** Removes what the cache has of a thread that ends, if that is possible: what stays is harmless. */
export function forgetHistory(storage: Storage, thread: ThreadId): void {
  quietly(() => {
    if (isOurs(storage, thread)) removeBoth(cacheFile(storage, thread));
  });
}
