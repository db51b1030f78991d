import { computeHash, isHash, isObject, type JsonValue, META_SCHEMA_HASH } from "@uncaged/json-cas";
import {
  type CasRef,
  type Fault,
  isWorkflowName,
  LIMITS,
  ok,
  type RegistryLine,
  type Result,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { parseYamlDocument } from "./documents/index.js";
import { type HashMapSpec, readHashMap, updateHashMap } from "./hash-map-file.js";
import { appendLines, readLines } from "./line-file.js";
import { withIndexLock } from "./locks.js";
import { readNode } from "./nodes.js";
import { isEpochMs, isText, orNull, shapeOf } from "./record.js";
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
  return withIndexLock(storage, async (): Promise<Result<CasRef | null, Fault>> => {
    let previous: CasRef | null = null;
    const moved = await updateHashMap(storage.paths.registry, SPEC, (names) => {
      previous = names.get(name) ?? null;
      if (previous === hash) return ok([]);
      const line = { name, hash, previous, source, at: storage.now() };
      const appended = appendLines(storage.paths.registryHistory, CHANGE, [line]);
      return appended.ok ? ok([{ key: name, value: hash }]) : appended;
    });
    return moved.ok ? ok(previous) : moved;
  });
}

const CHANGE = shapeOf<RegistryLine>({
  name: (name): name is string => isText(name) && isWorkflowName(name),
  ...{ hash: orNull(isHash), previous: orNull(isHash), source: orNull(isHash), at: isEpochMs },
});

/** Every change of a name, oldest first. A missing file is an empty one; a torn last line is skipped. */
export function readRegistryHistory({ paths }: Storage): Result<readonly RegistryLine[], Fault> {
  return readLines(paths.registryHistory, CHANGE);
}

/**
 * A role's meta with its keys in the order in which the author wrote them, out of the YAML that was put: a node sorts them.
 * `null` where the order is not kept, as for a thread that was started from a file. It is no more than an order, so
 * damage here is left to those who read the nodes themselves.
 */
export async function authoredMeta(
  storage: Storage,
  workflow: CasRef,
  role: string,
  meta: CasRef,
): Promise<JsonValue | null> {
  const lines = readRegistryHistory(storage);
  const put = lines.ok
    ? lines.value.findLast(({ hash, source }) => hash === workflow && source !== null)
    : null;
  const source = put?.source ?? null;
  const content = source === null ? null : attempt(() => readNode(storage.cas, "content", source));
  if (content === null || !content.ok || !content.value.ok) return null;
  const yaml = await parseYamlDocument(content.value.value.payload.text, "", LIMITS.workflowFile);
  const written = yaml.ok ? memberAt(yaml.value.value, ["roles", role, "meta"]) : null;
  const hash = attempt(() => computeHash(META_SCHEMA_HASH, written));
  return hash.ok && hash.value === meta ? written : null;
}

function memberAt(value: JsonValue, path: readonly string[]): JsonValue | null {
  let found = value;
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? (found[key] ?? null) : null;
  return found;
}
