import type { Hash } from "@uncaged/json-cas";
import { writeFileAtomic } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { readBytes, utf8Of } from "../files/index.js";
import { EMPTY, parseCanonical, spliceCanonical } from "./canonical.js";
import { editHandEdited, parseHandEdited } from "./hand-edited.js";
import { findLine, type Line, withLine } from "./large.js";
import type { FlatDamage, FlatEdit, FlatMap, FlatSpec } from "./types.js";

// Missing is empty. Present but empty, unreadable or of another shape is STORE_DAMAGED: whoever took it for an empty
// map would erase every entry with the next write.

type FlatText = { readonly text: string; readonly canonical: boolean };
type Parsed = FlatText & { readonly map: FlatMap };

/** What was looked at: one line of a large file, or the whole of it. */
type Looked = { readonly value: Hash | null } & (
  | { readonly kind: "line"; readonly bytes: Buffer; readonly line: Line }
  | ({ readonly kind: "whole" } & FlatText)
);

/** The file's whole map. */
export async function readFlatFile(path: string, spec: FlatSpec): Promise<Result<FlatMap, Fault>> {
  const bytes = readLatin1(path);
  if (!bytes.ok) return bytes;
  const parsed = await parse(path, spec, bytes.value);
  return parsed.ok ? ok(parsed.value.map) : parsed;
}

/** One key's hash; `null` when the file has no such key. */
export async function readFlatEntry(
  path: string,
  spec: FlatSpec,
  key: string,
): Promise<Result<Hash | null, Fault>> {
  const looked = await look(path, spec, key);
  return looked.ok ? ok(looked.value.value) : looked;
}

/**
 * Sets one key to what `decide` makes of its hash (`null`: the key is not there, or goes away) and keeps the rest as it
 * stands. A refusal, and an unchanged hash, leave the file untouched. The caller holds the index lock.
 */
export async function updateFlatEntry(
  path: string,
  spec: FlatSpec,
  key: string,
  decide: (current: Hash | null) => Result<Hash | null, Fault>,
): Promise<Result<void, Fault>> {
  const looked = await look(path, spec, key);
  if (!looked.ok) return looked;
  const next = decide(looked.value.value);
  if (!next.ok) return next;
  if (next.value === looked.value.value) return ok(undefined);
  const content = await edited(path, spec, looked.value, { key, value: next.value });
  return content.ok ? attempt(() => writeFileAtomic(path, content.value, { mode: null })) : content;
}

async function look(path: string, spec: FlatSpec, key: string): Promise<Result<Looked, Fault>> {
  const read = readBytes(path);
  if (!read.ok) return read;
  const bytes = read.value ?? Buffer.from(EMPTY);
  const line = findLine(bytes, spec, key);
  if (line !== null) return ok({ kind: "line", bytes, line, value: line.hash });
  const parsed = await parse(path, spec, bytes.toString("latin1"));
  return parsed.ok
    ? ok({ kind: "whole", ...parsed.value, value: parsed.value.map.get(key) ?? null })
    : parsed;
}

/** Our own form is ASCII, so most files need no decoding: bytes as characters will do to recognise it. */
function readLatin1(path: string): Result<string, Fault> {
  const bytes = readBytes(path);
  return bytes.ok ? ok(bytes.value?.toString("latin1") ?? EMPTY) : bytes;
}

async function parse(path: string, spec: FlatSpec, latin1: string): Promise<Result<Parsed, Fault>> {
  const canonical = parseCanonical(latin1, spec);
  if (canonical !== null) return ok({ text: latin1, map: canonical, canonical: true });
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
  looked: Looked,
  edit: FlatEdit,
): Promise<Result<string | Uint8Array, Fault>> {
  // A large file has other lines, so it never becomes the empty map.
  if (looked.kind === "line") return ok(withLine(looked.bytes, looked.line, edit.key, edit.value));
  if (looked.canonical) return ok(spliceCanonical(looked.text, edit));
  const text = await editHandEdited(looked.text, spec, edit);
  return text.ok ? text : damaged(path, text.error);
}

function damaged(path: string, { line, reason }: FlatDamage): Result<never, Fault> {
  const place = line === null ? "" : `line ${line}: `;
  return err(fault("STORE_DAMAGED", { file: path, reason: `${place}${reason}` }));
}
