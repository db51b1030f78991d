import { isHash } from "@uncaged/json-cas";
import {
  type CasRef,
  type Fault,
  isWorkflowName,
  ok,
  type RegistryLine,
  type Result,
} from "@uncaged/workflow-protocol";
import type { HashMapSpec } from "./hand-edited-map.js";
import { readHashMap, readHashMapEntry, updateHashMapEntry } from "./hash-map-file.js";
import { isEpochMs } from "./json.js";
import { appendLines, type LineShape, readLines } from "./line-file.js";
import { withIndexLock } from "./locks.js";
import type { Storage } from "./storage.js";

// registry.yaml            what each name points to now
// registry-history.jsonl   a line per change of a name, appended under the index lock before the name moves
//
// A crash between the two leaves a line whose change did not happen. No command repeats that change, and the
// line misleads no reader: `registry.yaml` has the current hash.

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

/**
 * Points a name to a workflow, or removes it (`null`), and gives what it pointed to before. Where nothing changes
 * nothing is written. `source` is the content node with the YAML as it was put, if there is one. Takes the index lock.
 */
export function setRegistry(
  storage: Storage,
  name: string,
  hash: CasRef | null,
  source: CasRef | null = null,
): Promise<Result<CasRef | null, Fault>> {
  const { registry } = storage.paths;
  return withIndexLock(storage, async (): Promise<Result<CasRef | null, Fault>> => {
    const previous = await readHashMapEntry(registry, SPEC, name);
    if (!previous.ok || previous.value === hash) return previous;
    const line = { name, hash, previous: previous.value, source, at: storage.now() };
    const appended = appendLines(storage.paths.registryHistory, SHAPE, [line]);
    if (!appended.ok) return appended;
    const moved = await updateHashMapEntry(registry, SPEC, name, () => ok(hash));
    return moved.ok ? previous : moved;
  });
}

/** Every change of a name, oldest first. A missing file is an empty one; a torn last line is skipped. */
export function readRegistryHistory({ paths }: Storage): Result<readonly RegistryLine[], Fault> {
  return readLines(paths.registryHistory, SHAPE);
}

const SHAPE: LineShape<RegistryLine> = {
  asLine: ({ name, hash, previous, source, at }) =>
    typeof name === "string" &&
    isWorkflowName(name) &&
    isHashOrNull(hash) &&
    isHashOrNull(previous) &&
    isHashOrNull(source) &&
    isEpochMs(at)
      ? { name, hash, previous, source, at }
      : null,
  fields: "{name, hash, previous, source, at}",
};

function isHashOrNull(value: unknown): value is CasRef | null {
  return value === null || isHash(value);
}
