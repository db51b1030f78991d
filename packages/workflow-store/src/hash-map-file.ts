import { type Hash, isHash } from "@uncaged/json-cas";
import { writeFileAtomic } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { readBytes, utf8Of } from "./files.js";
import {
  editHandEdited,
  type HashMap,
  type HashMapDamage,
  type HashMapEdit,
  type HashMapSpec,
  parseHandEdited,
} from "./hand-edited-map.js";

// Missing is empty. Present but empty, unreadable or of another shape is STORE_DAMAGED: taken for an empty
// map, it would lose every entry at the next write.

/** `edited`: the text of a file that a person has edited, so that it is kept; `null`: it is as we write it. */
type Parsed = { readonly map: HashMap; readonly edited: string | null };

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
  return write(path, spec, parsed.value, [{ key, value: next.value }]);
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
  return write(
    path,
    spec,
    parsed.value,
    [...entries].map(([key, value]) => ({ key, value })),
  );
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
  if (canonical !== null) return ok({ map: canonical, edited: null });
  if (latin1.length > EDITED_LIMIT) {
    const reason = `it is not in the form that uwf writes, and larger than ${EDITED_LIMIT} bytes, the limit for another`;
    return damaged(path, { line: null, reason });
  }
  const text = utf8Of(latin1);
  if (text === null) return damaged(path, { line: null, reason: "it is not UTF-8 text" });
  if (text.trim() === "")
    return damaged(path, { line: null, reason: "it is empty; a map without entries is {}" });
  const map = await parseHandEdited(text, spec);
  return map.ok ? ok({ map: map.value, edited: text }) : damaged(path, map.error);
}

async function write(
  path: string,
  spec: HashMapSpec,
  { map, edited }: Parsed,
  edits: readonly HashMapEdit[],
): Promise<Result<void, Fault>> {
  let text = edited;
  if (text === null) text = canonicalText(withEdits(map, edits));
  else
    for (const edit of edits) {
      const content = await editHandEdited(text, spec, edit);
      if (!content.ok) return damaged(path, content.error);
      text = content.value;
    }
  return attempt(() => writeFileAtomic(path, text, { mode: null }));
}

function withEdits(map: HashMap, edits: readonly HashMapEdit[]): HashMap {
  const changed = new Map(map);
  for (const { key, value } of edits) {
    if (value === null) changed.delete(key);
    else changed.set(key, value);
  }
  return changed;
}

function damaged(path: string, { line, reason }: HashMapDamage): Result<never, Fault> {
  const place = line === null ? "" : `line ${line}: `;
  return err(fault("STORE_DAMAGED", { file: path, reason: `${place}${reason}` }));
}

// The form that we write ourselves, read without a YAML parser:
//
//   01ARZ3NDEKTSV4RRFFQ69G5FAV: "0123456789ABC"\n     keys strictly ascending, every line ended by LF
//   {}\n                                              the empty map
//
// It is a subset of YAML, so whatever is not of this form is left to the parser.

export const EMPTY = "{}\n";

/** `: "` + 13 characters + `"` */
const VALUE_WIDTH = 17;
const VALUE = ': "[0-9A-F][0-9A-HJKMNP-TV-Z]{12}"\n';

/** The map, or `null` when a person (or a fault) gave the file another form. */
export function parseCanonical(text: string, spec: HashMapSpec): HashMap | null {
  if (text === EMPTY) return new Map();
  const line = new RegExp(`(?:${spec.key})${VALUE}`, "y");
  const map = new Map<string, Hash>();
  let previous = "";
  for (let start = 0; start < text.length; start = line.lastIndex) {
    line.lastIndex = start;
    if (!line.test(text)) return null;
    const key = text.slice(start, line.lastIndex - 1 - VALUE_WIDTH);
    const value = hashAt(text, line.lastIndex - 1);
    if (value === null || key <= previous) return null;
    map.set(key, value);
    previous = key;
  }
  return map.size === 0 ? null : map;
}

/** The same map as we write it. */
export function canonicalText(map: HashMap): string {
  const lines = [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, hash]) => `${key}: "${hash}"\n`);
  return lines.length === 0 ? EMPTY : lines.join("");
}

/** The hash of the line that ends at `end`. */
function hashAt(text: string, end: number): Hash | null {
  const value = text.slice(end - VALUE_WIDTH + 3, end - 1);
  return isHash(value) ? value : null;
}
