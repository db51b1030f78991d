import { writtenBy } from "@uncaged/json-cas-fs";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import type { Storage } from "./types.js";

/** Which original program has written into the store, `json-cas 0.5`; `null` for one of ours alone. */
export function storeWriter({ paths }: Storage): Result<string | null, Fault> {
  return attempt(() => writtenBy(paths.cas));
}
