import { type Hash, putSchema } from "@uncaged/json-cas";
import { createFsStore, packStore } from "../../src/index.js";
import { PERSON_SCHEMA, person } from "../support/store.js";

/** A chain of people, each the friend of the next one. */
export async function chain(dir: string, names: readonly string[]) {
  const store = createFsStore(dir, { now: () => 1_700_000_000_000 });
  const type = await putSchema(store, PERSON_SCHEMA);
  const hashes: Hash[] = [];
  for (const name of names) hashes.push(await store.put(type, person(name, hashes.at(-1) ?? null)));
  return { store, type, hashes };
}

export function packAll(dir: string, roots: readonly Hash[] = []) {
  return packStore(dir, { roots, isWanted: () => true, now: Date.now });
}
