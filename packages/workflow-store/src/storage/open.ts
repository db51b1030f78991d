import { createFsStore } from "@uncaged/json-cas-fs";
import { pathsOf } from "./paths.js";
import type { Storage } from "./types.js";

/** Opens the root without touching it: it costs the same with ten threads or a hundred thousand. */
export function openStorage(root: string, { now }: { readonly now: () => number }): Storage {
  const paths = pathsOf(root);
  return { root, cas: createFsStore(paths.cas, { now }), paths, now };
}
