import { type CasRef, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { type HashMapSpec, readHashMap, updateHashMapEntry } from "./hash-map-file/index.js";
import { withIndexLock } from "./locks.js";
import type { Storage } from "./storage.js";

const SPEC: HashMapSpec = { key: "[a-z][a-z0-9]*(?:-[a-z0-9]+)*", keyName: "workflow name" };

/** Workflow name to hash. The record has no prototype: `constructor` is a name like any other. */
export async function readRegistry(
  storage: Storage,
): Promise<Result<Readonly<Record<string, CasRef>>, Fault>> {
  const map = await readHashMap(storage.paths.registry, SPEC);
  if (!map.ok) return map;
  const registry: Record<string, CasRef> = Object.create(null);
  for (const [name, hash] of map.value) registry[name] = hash;
  return ok(Object.freeze(registry));
}

/** Points a name to a workflow, whatever it pointed to before. Takes the index lock. */
export function setRegistry(storage: Storage, name: string, hash: CasRef): Promise<Result<void, Fault>> {
  return withIndexLock(storage, () => updateHashMapEntry(storage.paths.registry, SPEC, name, () => ok(hash)));
}
