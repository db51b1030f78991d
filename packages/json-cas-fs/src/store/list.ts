import type { Hash } from "@uncaged/json-cas";
import { hashOfHalves } from "../halves.js";
import { eachEntry } from "../pack/index.js";
import { looseNodes } from "./folder.js";
import { packsOf } from "./packed.js";

/** The hashes of all nodes, sorted: of the files first, for what is packed meanwhile is then found in its pack. */
export function listNodes(dir: string): readonly Hash[] {
  const loose = looseNodes(dir);
  const { packs } = packsOf(dir);
  if (packs.length === 0) return [...loose].sort();
  const hashes = new Set(loose);
  for (const pack of packs) eachEntry(pack, (high, low) => hashes.add(hashOfHalves(high, low)));
  return [...hashes].sort();
}
