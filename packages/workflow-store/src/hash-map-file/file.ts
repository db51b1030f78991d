import type { Hash } from "@uncaged/json-cas";
import { writeFileAtomic } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { readBytes, utf8Of } from "../files.js";
import { EMPTY, parseCanonical, spliceCanonical } from "./canonical.js";
import { editHandEdited, parseHandEdited } from "./hand-edited.js";
import type { HashMap, HashMapDamage, HashMapEdit, HashMapSpec } from "./types.js";

// Missing is empty. Present but empty, unreadable or of another shape is STORE_DAMAGED: taken for an empty
// map, it would lose every entry at the next write.

type Parsed = { readonly text: string; readonly canonical: boolean; readonly map: HashMap };

type Decide = (current: Hash | null) => Result<Hash | null, Fault>;

/** The file's whole map. */
export async function readHashMap(path: string, spec: HashMapSpec): Promise<Result<HashMap, Fault>> {
  const parsed = await readParsed(path, spec);
  return parsed.ok ? ok(parsed.value.map) : parsed;
}

/** One key's hash; `null` when the file has no such key. */
export async function readHashMapEntry(
  path: string,
  spec: HashMapSpec,
  key: string,
): Promise<Result<Hash | null, Fault>> {
  const parsed = await readParsed(path, spec);
  return parsed.ok ? ok(parsed.value.map.get(key) ?? null) : parsed;
}

/**
 * Sets one key to what `decide` makes of its hash (`null`: the key is not there, or goes away) and keeps the rest as it
 * stands. A refusal, and an unchanged hash, leave the file untouched. The caller holds the index lock.
 */
export async function updateHashMapEntry(
  path: string,
  spec: HashMapSpec,
  key: string,
  decide: Decide,
): Promise<Result<void, Fault>> {
  const parsed = await readParsed(path, spec);
  if (!parsed.ok) return parsed;
  const current = parsed.value.map.get(key) ?? null;
  const next = decide(current);
  if (!next.ok) return next;
  if (next.value === current) return ok(undefined);
  const content = await edited(path, spec, parsed.value, { key, value: next.value });
  return content.ok ? attempt(() => writeFileAtomic(path, content.value, { mode: null })) : content;
}

/**
 * Sets many keys, in one write, and keeps the rest as it stands. Nothing to set leaves the file untouched. The caller
 * holds the index lock.
 */
export async function setHashMapEntries(
  path: string,
  spec: HashMapSpec,
  entries: ReadonlyMap<string, Hash>,
): Promise<Result<void, Fault>> {
  if (entries.size === 0) return ok(undefined);
  const parsed = await readParsed(path, spec);
  if (!parsed.ok) return parsed;
  let { text } = parsed.value;
  for (const [key, value] of entries) {
    const content = await edited(path, spec, { ...parsed.value, text }, { key, value });
    if (!content.ok) return content;
    text = content.value;
  }
  return attempt(() => writeFileAtomic(path, text, { mode: null }));
}

/** Bytes of a file in our own form: 700,000 threads. */
const WHOLE_LIMIT = 32 * 1024 * 1024;

/** Bytes of one that a person has edited: a YAML document takes a hundred times as much memory. */
const EDITED_LIMIT = 1024 * 1024;

async function readParsed(path: string, spec: HashMapSpec): Promise<Result<Parsed, Fault>> {
  const bytes = readBytes(path, WHOLE_LIMIT);
  if (!bytes.ok) return bytes;
  // Our own form is ASCII, so most files need no decoding: bytes as characters will do to recognise it.
  const latin1 = bytes.value?.toString("latin1") ?? EMPTY;
  const canonical = parseCanonical(latin1, spec);
  if (canonical !== null) return ok({ text: latin1, map: canonical, canonical: true });
  if (latin1.length > EDITED_LIMIT) {
    const reason = `it is not in the form that uwf writes, and larger than ${EDITED_LIMIT} bytes, the limit for another`;
    return damaged(path, { line: null, reason });
  }
  const text = utf8Of(latin1);
  if (text === null) return damaged(path, { line: null, reason: "it is not UTF-8 text" });
  if (text.trim() === "")
    return damaged(path, { line: null, reason: "it is empty; a map without entries is {}" });
  const map = await parseHandEdited(text, spec);
  return map.ok ? ok({ text, map: map.value, canonical: false }) : damaged(path, map.error);
}

async function edited(
  path: string,
  spec: HashMapSpec,
  { text, canonical }: Parsed,
  edit: HashMapEdit,
): Promise<Result<string, Fault>> {
  if (canonical) return ok(spliceCanonical(text, edit));
  const content = await editHandEdited(text, spec, edit);
  return content.ok ? content : damaged(path, content.error);
}

function damaged(path: string, { line, reason }: HashMapDamage): Result<never, Fault> {
  const place = line === null ? "" : `line ${line}: `;
  return err(fault("STORE_DAMAGED", { file: path, reason: `${place}${reason}` }));
}
