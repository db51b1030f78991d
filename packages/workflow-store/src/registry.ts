import { isHash } from "@uncaged/json-cas";
import { appendLine } from "@uncaged/json-cas-fs";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type RegistryLine,
  type Result,
} from "@uncaged/workflow-protocol";
import { withWholeLines } from "./archive.js";
import { attempt } from "./attempt.js";
import { readBytes } from "./files.js";
import {
  type HashMapSpec,
  readHashMap,
  readHashMapEntry,
  updateHashMapEntry,
} from "./hash-map-file/index.js";
import { isWorkflowName } from "./ids.js";
import { isEpochMs, parseRecord } from "./json.js";
import { withIndexLock } from "./locks.js";
import type { Storage } from "./storage.js";

// registry.yaml            what each name points to now
// registry-history.jsonl   a line per change of a name, appended under the index lock before the name moves
//
// A line whose change did not happen, because of a crash, is repeated by nobody and misleads nobody: `registry.yaml`
// says what is current.

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
    const appended = appendChange(storage, line);
    if (!appended.ok) return appended;
    const moved = await updateHashMapEntry(registry, SPEC, name, () => ok(hash));
    return moved.ok ? previous : moved;
  });
}

function appendChange({ paths }: Storage, line: RegistryLine): Result<void, Fault> {
  const isWhole = (text: string): boolean => asRegistryLine(parseRecord(text) ?? {}) !== null;
  const closed = withWholeLines(paths.registryHistory, isWhole);
  return closed.ok ? attempt(() => appendLine(paths.registryHistory, JSON.stringify(line))) : closed;
}

/** Some 400,000 changes. */
const LARGEST = 64 * 1024 * 1024;

/** Every change of a name, oldest first. A missing file is an empty one; a torn last line is skipped. */
export function readRegistryHistory({ paths }: Storage): Result<readonly RegistryLine[], Fault> {
  const file = paths.registryHistory;
  const bytes = readBytes(file, LARGEST);
  if (!bytes.ok) return bytes;
  const texts = (bytes.value ?? "").toString().split("\n");
  const last = asRegistryLine(parseRecord(texts.pop() ?? "") ?? {});
  const lines: RegistryLine[] = [];
  for (const [index, text] of texts.entries()) {
    const line = asRegistryLine(parseRecord(text) ?? {});
    if (line === null) {
      const reason = `line ${index + 1}: it is not {name, hash, previous, source, at}`;
      return err(fault("STORE_DAMAGED", { file, reason }));
    }
    lines.push(line);
  }
  return ok(last === null ? lines : [...lines, last]);
}

function asRegistryLine(record: Readonly<Record<string, unknown>>): RegistryLine | null {
  const { name, hash, previous, source, at } = record;
  const isKnown =
    typeof name === "string" &&
    isWorkflowName(name) &&
    isHashOrNull(hash) &&
    isHashOrNull(previous) &&
    isHashOrNull(source) &&
    isEpochMs(at);
  return isKnown ? { name, hash, previous, source, at } : null;
}

function isHashOrNull(value: unknown): value is CasRef | null {
  return value === null || isHash(value);
}
