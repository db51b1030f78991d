import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import type { OpenHistory } from "../chain/index.js";
import { quietly, readDerived } from "../files/index.js";
import { cacheFile } from "./files.js";
import { parseCache } from "./format.js";
import type { CacheContent, CachePlace, KnownPast } from "./types.js";

/**
 * A history, as far as the thread's cache has it from the cache, the rest from its nodes. A cache that is absent or
 * not to be used is none; what is wrong about the nodes that are read is `CHAIN_DAMAGED`.
 */
export function knownPast(
  storage: CachePlace,
  thread: ThreadId,
  { start, since }: Pick<OpenHistory, "start" | "since">,
): Result<KnownPast, Fault> {
  const cached = contentOf(storage, thread, start.hash);
  const at = placeOf(cached);
  const rest = since((hash) => at(hash) !== null);
  if (!rest.ok) return rest;
  const { known, steps } = rest.value;
  const count = known === null ? 0 : (at(known) ?? 0);
  const kept = { seal: count === 0 ? null : cached.seal, steps: count, of: cached.steps.length };
  return ok({ known: cached.steps.slice(0, count), since: steps, kept });
}

const NOTHING = { hashes: [], steps: [], seal: null } as const;

function contentOf(storage: CachePlace, thread: ThreadId, start: CasRef): CacheContent | typeof NOTHING {
  const bytes = quietly(() => readDerived(cacheFile(storage, thread)));
  return (bytes === null ? null : parseCache(bytes, start)) ?? NOTHING;
}

/** How many steps there are up to a hash, `null` for a stranger. Mostly it is the last one, or the one before. */
function placeOf({ hashes }: Pick<CacheContent, "hashes">): (hash: CasRef) => number | null {
  return (hash) => {
    const index = hashes.lastIndexOf(hash);
    return index === -1 ? null : index + 1;
  };
}
