import type { Hash } from "@uncaged/json-cas";
import { hashOfHalves } from "../halves.js";
import { eachEntry } from "../pack/index.js";
import { looseNodes } from "./folder.js";
import { packsOf } from "./packed.js";

/** The hashes of all nodes, sorted: of the files first, for what is packed meanwhile is then found in its pack. */
export function listNodes(dir: string): readonly Hash[] {
  const hashes = new Set(looseNodes(dir));
  for (const pack of packsOf(dir).packs) eachEntry(pack, (high, low) => hashes.add(hashOfHalves(high, low)));
  return [...hashes].sort();
}
