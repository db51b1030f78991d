import { type Hash, isHash } from "@uncaged/json-cas";
import { writeFileAtomic } from "@uncaged/json-cas-fs";
import { err, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { Document, LineCounter, Pair, Scalar, YAMLMap } from "yaml";
import { attempt } from "./attempt.js";
import { damaged, decodeText, readBytes } from "./files.js";

/** What one flat file may hold: `<key>: "<hash>"`, a line each, sorted by key. */
export type HashMapSpec = {
  /** Source of a regular expression, without anchors, that matches a whole key. */
  readonly key: string;
  /** What a key is, for the sentence that refuses one: `thread id`. */
  readonly keyName: string;
};

/** Key to hash, in the order of the file. */
export type HashMap = ReadonlyMap<string, Hash>;

/** One line to set, or to take out when `value` is `null`. */
type HashMapEdit = { readonly key: string; readonly value: Hash | null };

/** Why a file cannot be read; `line` counts from 1 and is `null` where no line is to blame. */
type HashMapDamage = { readonly line: number | null; readonly reason: string };

// Missing is empty. Present but empty, unreadable or of another shape is STORE_DAMAGED: taken for an empty
// map, it would lose every entry at the next write.

/** `edited`: the text of a file that a person has edited, so that it is kept; `null`: it is as we write it. */
type Parsed = { readonly map: HashMap; readonly edited: string | null };

/** The file's whole map. */
export async function readHashMap(path: string, spec: HashMapSpec): Promise<Result<HashMap, Fault>> {
  const parsed = await readParsed(path, spec);
  return parsed.ok ? ok(parsed.value.map) : parsed;
}

/**
 * Sets what `decide` says, in one write, and keeps the rest as it stands. A refusal, and edits that change nothing, leave
 * the file untouched. The caller holds the index lock.
 */
export async function updateHashMap(
  path: string,
  spec: HashMapSpec,
  decide: (map: HashMap) => Result<readonly HashMapEdit[], Fault>,
): Promise<Result<void, Fault>> {
  const parsed = await readParsed(path, spec);
  if (!parsed.ok) return parsed;
  const { map, edited } = parsed.value;
  const decided = decide(map);
  if (!decided.ok) return decided;
  const edits = decided.value.filter(({ key, value }) => (map.get(key) ?? null) !== value);
  if (edits.length === 0) return ok(undefined);
  let text = edited ?? canonicalText(withEdits(map, edits));
  for (const edit of edited === null ? [] : edits) {
    const content = await editHandEdited(text, spec, edit);
    if (!content.ok) return damagedMap(path, content.error);
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
  if (canonical !== null) return ok({ map: canonical, edited: null });
  if (latin1.length > EDITED_LIMIT) {
    const reason = `it is not in the form that uwf writes, and larger than ${EDITED_LIMIT} bytes, the limit for another`;
    return damagedMap(path, { line: null, reason });
  }
  const text = decodeText(Buffer.from(latin1, "latin1"))?.replace(/^\ufeff/, "") ?? null;
  if (text === null) return damagedMap(path, { line: null, reason: "it is not UTF-8 text" });
  if (text.trim() === "")
    return damagedMap(path, { line: null, reason: "it is empty; a map without entries is {}" });
  const map = await parseHandEdited(text, spec);
  return map.ok ? ok({ map: map.value, edited: text }) : damagedMap(path, map.error);
}

function withEdits(map: HashMap, edits: readonly HashMapEdit[]): HashMap {
  const changed = new Map(map);
  for (const { key, value } of edits) {
    if (value === null) changed.delete(key);
    else changed.set(key, value);
  }
  return changed;
}

function damagedMap(path: string, { line, reason }: HashMapDamage): Result<never, Fault> {
  const place = line === null ? "" : `line ${line}: `;
  return damaged(path, `${place}${reason}`);
}

// The form that we write ourselves, read without a YAML parser:
//
//   01ARZ3NDEKTSV4RRFFQ69G5FAV: "0123456789ABC"\n     keys strictly ascending, every line ended by LF
//   {}\n                                              the empty map
//
// It is a subset of YAML, so whatever is not of this form is left to the parser.

export const EMPTY = "{}\n";

/** The map, or `null` when a person (or a fault) gave the file another form. */
export function parseCanonical(text: string, spec: HashMapSpec): HashMap | null {
  if (text === EMPTY) return new Map();
  const line = new RegExp(`(${spec.key}): "([0-9A-F][0-9A-HJKMNP-TV-Z]{12})"\n`, "y");
  const map = new Map<string, Hash>();
  let previous = "";
  while (line.lastIndex < text.length) {
    const [, key = "", value = ""] = line.exec(text) ?? [];
    if (key <= previous) return null;
    map.set(key, value as Hash);
    previous = key;
  }
  return map.size === 0 ? null : map;
}

/** The same map as we write it. */
export function canonicalText(map: HashMap): string {
  const lines = [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, hash]) => `${key}: "${hash}"\n`);
  return lines.length === 0 ? EMPTY : lines.join("");
}

// Files that a person edited: comments, other layouts, other quotes. The one place that loads `yaml` lazily:
// it costs as much as a whole step, and the files that we write ourselves never need it.

type Yaml = typeof import("yaml");

type Entry = { readonly key: string; readonly value: Hash; readonly pair: Pair };

type Opened = { readonly document: Document; readonly map: YAMLMap; readonly entries: readonly Entry[] };

/** The map of a file in any layout, or what is wrong with it. */
export async function parseHandEdited(
  text: string,
  spec: HashMapSpec,
): Promise<Result<HashMap, HashMapDamage>> {
  const opened = open(await import("yaml"), text, spec);
  if (!opened.ok) return opened;
  return ok(new Map(opened.value.entries.map(({ key, value }) => [key, value])));
}

/** The text with one entry set or taken out; comments and layout of the others stay. */
export async function editHandEdited(
  text: string,
  spec: HashMapSpec,
  edit: HashMapEdit,
): Promise<Result<string, HashMapDamage>> {
  const yaml = await import("yaml");
  const opened = open(yaml, text, spec);
  if (!opened.ok) return opened;
  for (const entry of opened.value.entries) quote(yaml, entry.pair);
  if (edit.value === null) removeEntry(yaml, opened.value, edit.key);
  else put(yaml, opened.value, edit.key, edit.value);
  return ok(opened.value.document.toString({ lineWidth: 0 }));
}

function put(yaml: Yaml, { map, entries }: Opened, key: string, value: Hash): void {
  const pair = entries.find((entry) => entry.key === key)?.pair;
  if (pair !== undefined && yaml.isScalar(pair.value)) {
    pair.value.value = value;
    return;
  }
  const after = entries.findIndex((entry) => entry.key > key);
  const added = new yaml.Pair(new yaml.Scalar(key), new yaml.Scalar<string>(value));
  quote(yaml, added);
  if (after === 0) moveComment(yaml, map.items[0]?.key, added.key);
  map.items.splice(after === -1 ? map.items.length : after, 0, added);
}

/** A comment above the first line is most likely the file's header: it stays on top when a line is added. */
function moveComment(yaml: Yaml, from: unknown, to: Scalar): void {
  if (!yaml.isNode(from) || !from.commentBefore) return;
  to.commentBefore = from.commentBefore;
  from.commentBefore = null;
}

/** A comment above the line may be the head of the whole file: it goes to the next line rather than away. */
function removeEntry(yaml: Yaml, { document, map, entries }: Opened, key: string): void {
  const index = entries.findIndex((entry) => entry.key === key);
  const [removed] = index === -1 ? [] : map.items.splice(index, 1);
  const comment = yaml.isNode(removed?.key) ? removed.key.commentBefore : null;
  const heir = map.items[index]?.key;
  if (!comment) return;
  if (yaml.isNode(heir)) heir.commentBefore = joined(comment, heir.commentBefore);
  else if (map.items.length === 0) document.commentBefore = joined(document.commentBefore, comment);
  else document.comment = joined(comment, document.comment);
}

function joined(first: string | null | undefined, second: string | null | undefined): string {
  return [first, second].filter(Boolean).join("\n");
}

/** Always quotes a value: no YAML parser may read a hash as a number or a date. */
function quote(yaml: Yaml, pair: Pair): void {
  if (yaml.isScalar(pair.value)) pair.value.type = yaml.Scalar.QUOTE_DOUBLE;
}

// `failsafe` reads every scalar as the text that stands there, so an unquoted 1234567890123 or 12345678901E5 is
// the hash that its author meant. The library's own check for doubled keys is quadratic; ours is below.
function open(yaml: Yaml, text: string, spec: HashMapSpec): Result<Opened, HashMapDamage> {
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    schema: "failsafe",
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
  });
  const problem = document.errors[0];
  if (problem !== undefined) return unreadable(lineAt(lines, problem.pos[0]), problem.message);
  if (!yaml.isMap(document.contents)) return unreadable(null, "it holds no map; a map without entries is {}");
  const map: YAMLMap = document.contents;
  const entries = entriesOf(yaml, map, lines, spec);
  return entries.ok ? ok({ document, map, entries: entries.value }) : entries;
}

function entriesOf(
  yaml: Yaml,
  map: YAMLMap,
  lines: LineCounter,
  spec: HashMapSpec,
): Result<readonly Entry[], HashMapDamage> {
  const whole = new RegExp(`^(?:${spec.key})$`);
  const seen = new Set<string>();
  const entries: Entry[] = [];
  for (const pair of map.items) {
    const line = lineAt(lines, yaml.isNode(pair.key) ? (pair.key.range?.[0] ?? null) : null);
    const key = textOf(yaml, pair.key);
    const value = textOf(yaml, pair.value);
    if (key === null || !whole.test(key)) return unreadable(line, `${shown(key)} is not a ${spec.keyName}`);
    if (seen.has(key)) return unreadable(line, `${key} appears twice`);
    if (!isHash(value)) return unreadable(line, `the value of ${key} is ${shown(value)}, not a hash`);
    seen.add(key);
    entries.push({ key, value, pair });
  }
  return ok(entries);
}

/** A plain or quoted word; `null` for a list, a map, an alias, or a tagged or anchored word. */
function textOf(yaml: Yaml, node: unknown): string | null {
  if (!yaml.isScalar(node) || node.anchor !== undefined || node.tag !== undefined) return null;
  const { value }: Scalar = node;
  return typeof value === "string" ? value : null;
}

function shown(text: string | null): string {
  if (text === null) return "something that is not a word";
  return text === "" ? "nothing" : `"${text.slice(0, 60)}"`;
}

function lineAt(lines: LineCounter, offset: number | null): number | null {
  return offset === null ? null : lines.linePos(offset).line;
}

function unreadable(line: number | null, reason: string): Result<never, HashMapDamage> {
  return err({ line, reason });
}
