import type { Hash } from "@uncaged/json-cas";
import { readWithin, writeFileAtomic } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { tooLarge, utf8Of, withRegular } from "../files.js";
import { EMPTY, parseCanonical, spliceCanonical } from "./canonical.js";
import { editHandEdited, parseHandEdited } from "./hand-edited.js";
import { findLine, writeWithLine } from "./large.js";
import type { FlatDamage, FlatEdit, FlatMap, FlatSpec } from "./types.js";

// Missing is empty. Present but empty, unreadable or of another shape is STORE_DAMAGED: whoever took it for an empty
// map would erase every entry with the next write.

type Parsed = { readonly text: string; readonly canonical: boolean; readonly map: FlatMap };

type Decide = (current: Hash | null) => Result<Hash | null, Fault>;

/** The file's whole map. */
export async function readFlatFile(path: string, spec: FlatSpec): Promise<Result<FlatMap, Fault>> {
  const latin1 = withRegular(path, wholeOf);
  if (!latin1.ok) return latin1;
  const parsed = await parse(path, spec, latin1.value === null ? EMPTY : latin1.value.whole);
  return parsed.ok ? ok(parsed.value.map) : parsed;
}

/** One key's hash; `null` when the file has no such key. */
export async function readFlatEntry(
  path: string,
  spec: FlatSpec,
  key: string,
): Promise<Result<Hash | null, Fault>> {
  const found = withRegular(path, (fd) => findLine(fd, spec, key) ?? wholeOf(fd));
  if (!found.ok) return found;
  if (found.value !== null && "hash" in found.value) return ok(found.value.hash);
  const parsed = await parse(path, spec, found.value === null ? EMPTY : found.value.whole);
  return parsed.ok ? ok(parsed.value.map.get(key) ?? null) : parsed;
}

/**
 * Sets one key to what `decide` makes of its hash (`null`: the key is not there, or goes away) and keeps the rest as it
 * stands. A refusal, and an unchanged hash, leave the file untouched. The caller holds the index lock.
 */
export async function updateFlatEntry(
  path: string,
  spec: FlatSpec,
  key: string,
  decide: Decide,
): Promise<Result<void, Fault>> {
  const done = withRegular(path, (fd) => updateLine(path, fd, { spec, key, decide }) ?? wholeOf(fd));
  if (!done.ok) return done;
  if (done.value !== null && "ok" in done.value) return done.value;
  return updateWhole(path, done.value === null ? EMPTY : done.value.whole, { spec, key, decide });
}

type Update = { readonly spec: FlatSpec; readonly key: string; readonly decide: Decide };

/** `updateFlatEntry` where one line of a large file is enough; `null` where it is not. */
function updateLine(path: string, fd: number, { spec, key, decide }: Update): Result<void, Fault> | null {
  const line = findLine(fd, spec, key);
  if (line === null) return null;
  const next = decide(line.hash);
  if (!next.ok) return next;
  const { value } = next;
  if (value === line.hash) return ok(undefined);
  // A large file has other lines, so it never becomes the empty map.
  return attempt(() =>
    writeFileAtomic(path, (write) => writeWithLine(fd, line, { key, value }, write), { mode: null }),
  );
}

async function updateWhole(
  path: string,
  latin1: string | null,
  { spec, key, decide }: Update,
): Promise<Result<void, Fault>> {
  const parsed = await parse(path, spec, latin1);
  if (!parsed.ok) return parsed;
  const current = parsed.value.map.get(key) ?? null;
  const next = decide(current);
  if (!next.ok) return next;
  if (next.value === current) return ok(undefined);
  const content = await edited(path, spec, parsed.value, { key, value: next.value });
  return content.ok ? attempt(() => writeFileAtomic(path, content.value, { mode: null })) : content;
}

/** Bytes of a file in our own form that is held as a whole: 700,000 threads. One line of it is found in any file. */
const WHOLE_LIMIT = 32 * 1024 * 1024;

/** Bytes of one that a person has edited: a YAML document takes a hundred times as much memory. */
const EDITED_LIMIT = 1024 * 1024;

/** Our own form is ASCII, so most files need no decoding: bytes as characters will do to recognise it. `null`: too large. */
function wholeOf(fd: number): { readonly whole: string | null } {
  return { whole: readWithin(fd, WHOLE_LIMIT)?.toString("latin1") ?? null };
}

async function parse(path: string, spec: FlatSpec, latin1: string | null): Promise<Result<Parsed, Fault>> {
  if (latin1 === null) return err(tooLarge(path, WHOLE_LIMIT));
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
  spec: FlatSpec,
  { text, canonical }: Parsed,
  edit: FlatEdit,
): Promise<Result<string, Fault>> {
  if (canonical) return ok(spliceCanonical(text, edit));
  const content = await editHandEdited(text, spec, edit);
  return content.ok ? content : damaged(path, content.error);
}

function damaged(path: string, { line, reason }: FlatDamage): Result<never, Fault> {
  const place = line === null ? "" : `line ${line}: `;
  return err(fault("STORE_DAMAGED", { file: path, reason: `${place}${reason}` }));
}
