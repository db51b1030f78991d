import { writeFileAtomic } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { readBytes, utf8Of } from "../files/index.js";
import { EMPTY, parseCanonical, spliceCanonical } from "./canonical.js";
import { editHandEdited, parseHandEdited } from "./hand-edited.js";
import type { FlatDamage, FlatEdit, FlatMap, FlatSpec } from "./types.js";

type FlatText = { readonly text: string; readonly map: FlatMap; readonly canonical: boolean };

/**
 * The file's map. Missing is empty; present but empty, unreadable or of another shape is `STORE_DAMAGED`:
 * whoever took it for an empty map would erase every entry with the next write.
 */
export async function readFlatFile(path: string, spec: FlatSpec): Promise<Result<FlatMap, Fault>> {
  const read = await readFlat(path, spec);
  return read.ok ? ok(read.value.map) : read;
}

/**
 * Sets or takes out the one entry that `decide` names after seeing the map, and keeps the rest as it stands.
 * A refusal, and `null` for nothing to do, leave the file untouched. The caller holds the index lock.
 */
export async function updateFlatFile(
  path: string,
  spec: FlatSpec,
  decide: (map: FlatMap) => Result<FlatEdit | null, Fault>,
): Promise<Result<void, Fault>> {
  const read = await readFlat(path, spec);
  if (!read.ok) return read;
  const edit = decide(read.value.map);
  if (!edit.ok) return edit;
  if (edit.value === null || isDone(read.value.map, edit.value)) return ok(undefined);
  const edited = await editText(path, spec, read.value, edit.value);
  return edited.ok ? attempt(() => writeFileAtomic(path, edited.value, { mode: null })) : edited;
}

async function readFlat(path: string, spec: FlatSpec): Promise<Result<FlatText, Fault>> {
  const file = readBytes(path);
  if (!file.ok) return file;
  // Our own form is ASCII: most files need no decoding.
  const ascii = file.value?.toString("latin1") ?? EMPTY;
  const canonical = parseCanonical(ascii, spec);
  if (canonical !== null) return ok({ text: ascii, map: canonical, canonical: true });
  const text = utf8Of(ascii);
  if (text === null) return damaged(path, { line: null, reason: "it is not UTF-8 text" });
  if (text.trim() === "")
    return damaged(path, { line: null, reason: "it is empty; a map without entries is {}" });
  const map = await parseHandEdited(text, spec);
  return map.ok ? ok({ text, map: map.value, canonical: false }) : damaged(path, map.error);
}

async function editText(
  path: string,
  spec: FlatSpec,
  { text, canonical }: FlatText,
  edit: FlatEdit,
): Promise<Result<string, Fault>> {
  if (canonical) return ok(spliceCanonical(text, edit));
  const edited = await editHandEdited(text, spec, edit);
  return edited.ok ? edited : damaged(path, edited.error);
}

function isDone(map: FlatMap, { key, value }: FlatEdit): boolean {
  return map.get(key) === value;
}

function damaged(path: string, { line, reason }: FlatDamage): Result<never, Fault> {
  const place = line === null ? "" : `line ${line}: `;
  return err(fault("STORE_DAMAGED", { file: path, reason: `${place}${reason}` }));
}
