import { decodeNode, encode, type Hash } from "@uncaged/json-cas";
import { eachEntry, type OpenPack, readPackedNode, sha256 } from "../pack/index.js";
import { createHashTable } from "../table.js";
import { nodeIn, soundBytes } from "./read.js";

// One hash with two contents is no accident. `put` and an import refuse the second one; here it is found where somebody has
// written into the folder.

/** A sound node in a pack, where an earlier pack, or the node's own file, has different content under its hash. */
export type Clash = { readonly hash: Hash; readonly packs: readonly [OpenPack, ...OpenPack[]] };

/** What is wrong with each of the two. */
export const CLASH = "another copy with the same hash has different content";

/**
 * The clashes of these packs. `isLoose`: whether a node has a file of its own, which is then compared too. Reads only nodes
 * that are there more than once. System errors pass through.
 */
export function clashesIn(
  dir: string,
  packs: readonly OpenPack[],
  isLoose: (hash: Hash) => boolean,
): readonly Clash[] {
  const seen = createHashTable();
  const repeated = new Set<Hash>();
  for (const pack of packs)
    eachEntry(pack, (hash) => {
      if (isLoose(hash) || seen.has(hash)) repeated.add(hash);
      // In the last one nothing is twice.
      if (pack !== packs.at(-1)) seen.add(hash);
    });
  if (repeated.size === 0) return [];
  const first = new Map<Hash, { readonly digest: string; readonly pack: OpenPack | null }>();
  const clashes: Clash[] = [];
  for (const pack of packs)
    eachEntry(pack, (hash, offset, length) => {
      if (!repeated.has(hash)) return;
      if (!first.has(hash) && isLoose(hash)) {
        const digest = digestOf(hash, soundBytes(dir, hash));
        if (digest !== null) first.set(hash, { digest, pack: null });
      }
      const found = readPackedNode({ pack, offset, length }, hash);
      const digest = digestOf(hash, found.kind === "node" ? found.bytes : null);
      const before = first.get(hash);
      if (digest === null) return;
      if (before === undefined) first.set(hash, { digest, pack });
      else if (before.digest !== digest)
        clashes.push({ hash, packs: before.pack === null ? [pack] : [pack, before.pack] });
    });
  return clashes;
}

/** Of type and payload: the time of the first put is not what a node says. `null` for what is damaged. */
function digestOf(hash: Hash, bytes: Uint8Array | null): string | null {
  if (bytes === null || "damage" in nodeIn(hash, bytes)) return null;
  const { type, payload } = decodeNode(bytes);
  const sum = sha256();
  sum.update(type);
  sum.update(encode(payload));
  return sum.digest().toString("hex");
}
