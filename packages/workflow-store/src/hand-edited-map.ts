import { type Hash, isHash } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import type { Document, LineCounter, Pair, Scalar, YAMLMap } from "yaml";

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
export type HashMapEdit = { readonly key: string; readonly value: Hash | null };

/** Why a file cannot be read; `line` counts from 1 and is `null` where no line is to blame. */
export type HashMapDamage = { readonly line: number | null; readonly reason: string };

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
  if (problem !== undefined) return damage(lineAt(lines, problem.pos[0]), problem.message);
  if (!yaml.isMap(document.contents)) return damage(null, "it holds no map; a map without entries is {}");
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
    if (key === null || !whole.test(key)) return damage(line, `${shown(key)} is not a ${spec.keyName}`);
    if (seen.has(key)) return damage(line, `${key} appears twice`);
    if (!isHash(value)) return damage(line, `the value of ${key} is ${shown(value)}, not a hash`);
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

function damage(line: number | null, reason: string): Result<never, HashMapDamage> {
  return err({ line, reason });
}
