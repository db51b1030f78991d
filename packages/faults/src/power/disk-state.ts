import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Call } from "../inject.js";

/** A file's content in the page cache, and the part that is certainly on disk. */
export type DiskFile = { readonly kind: "file"; data: Buffer; synced: Buffer; mtime: Date };

/** The names of a folder, the same way. */
export type DiskFolder = {
  readonly kind: "folder";
  readonly names: Map<string, Entry>;
  readonly synced: Map<string, Entry>;
};

export type Entry = DiskFile | DiskFolder;

/** The effect of one call on names, which reaches the disk as a whole or not at all. */
export type Change = readonly {
  readonly folder: DiskFolder;
  readonly name: string;
  readonly entry: Entry | null;
}[];

/** A storage root of which a part is not on the disk yet. */
export type DiskState = { readonly root: DiskFolder; pending: readonly Change[] };

const newFolder = (): DiskFolder => ({ kind: "folder", names: new Map(), synced: new Map() });

/** A root that lies on the disk as it is; one that is not there is empty. */
export function stateOf(root: string): DiskState {
  return { root: scanned(root), pending: [] };
}

function scanned(path: string): DiskFolder {
  const folder = newFolder();
  for (const each of entriesIn(path)) {
    const at = join(path, each.name);
    const entry = each.isDirectory() ? scanned(at) : fileFrom(at);
    folder.names.set(each.name, entry);
    folder.synced.set(each.name, entry);
  }
  return folder;
}

function entriesIn(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function fileFrom(path: string): DiskFile {
  const data = readFileSync(path);
  return { kind: "file", data, synced: data, mtime: statSync(path).mtime };
}

const HARMLESS = new Set(["chmod", "fchmod", "futimes", "utimes", "spawn", "kill", "exit"]);

/**
 * Takes the effect of one call over, as the system's memory sees it, and what a sync makes certain: bytes by a fsync of
 * their file, names by a fsync of their folder, and nothing else. Throws for a call that it does not know.
 */
export function follow(state: DiskState, root: string, call: Call): void {
  if (call.outcome !== "done" || HARMLESS.has(call.name)) return;
  const path = call.path === "stdout" ? (call.to ?? "") : call.path;
  const at = relative(root, path);
  if (at.startsWith("..") || at === path || path === "" || call.path === "stderr") return;
  const { root: top } = state;
  switch (call.name) {
    case "mkdir":
      made(state, at);
      return;
    case "open":
      opened(state, at, call.to);
      return;
    case "write":
      written(fileAt(top, at), call);
      return;
    case "writeFile":
      opened(state, at, "w");
      written(fileAt(top, at), call);
      return;
    case "ftruncate": {
      const file = fileAt(top, at);
      if (file !== null) file.data = file.data.subarray(0, Number(call.to));
      return;
    }
    case "fsync":
    case "fdatasync":
      synced(state, at);
      return;
    case "link":
      named(state, at, relative(root, call.to ?? ""), false);
      return;
    case "rename":
      named(state, at, relative(root, call.to ?? ""), true);
      return;
    case "unlink":
    case "rmdir":
    case "rm":
      change(state, [effect(top, at, null)]);
      return;
    default:
      throw new Error(`what ${call.name} leaves on the disk is not known (${call.path})`);
  }
}

function made(state: DiskState, at: string): void {
  let folder = state.root;
  for (const name of at.split("/").filter((each) => each !== "")) {
    const there = folder.names.get(name);
    if (there?.kind === "file") return;
    const next = there ?? newFolder();
    if (there === undefined) change(state, [{ folder, name, entry: next }]);
    folder = next;
  }
}

/** Everything is written from the end on: nobody here writes at a place of his own. */
function written(file: DiskFile | null, { data }: Call): void {
  if (file === null) return;
  file.data = Buffer.concat([file.data, Buffer.from(data ?? "", "base64")]);
  file.mtime = new Date();
}

function opened(state: DiskState, at: string, flags: string | null): void {
  const file = entryAt(state.root, at);
  if (file === null) {
    const entry: DiskFile = { kind: "file", data: EMPTY, synced: EMPTY, mtime: new Date() };
    change(state, [effect(state.root, at, entry)]);
  } else if (file.kind === "file" && flags?.startsWith("w") === true) file.data = EMPTY;
}

const EMPTY = Buffer.alloc(0);

function synced(state: DiskState, at: string): void {
  const entry = entryAt(state.root, at);
  if (entry?.kind === "file") entry.synced = entry.data;
  if (entry?.kind !== "folder") return;
  // What a rename did to another folder is one transaction with what it did to this one.
  const certain = state.pending.filter((effects) => effects.some(({ folder }) => folder === entry));
  for (const effects of certain) apply(effects, ({ synced: names }) => names);
  state.pending = state.pending.filter((effects) => !certain.includes(effects));
}

function named(state: DiskState, from: string, to: string, moves: boolean): void {
  const entry = entryAt(state.root, from);
  if (entry === null) throw new Error(`${from} gets a name and was never seen`);
  const old = moves ? [effect(state.root, from, null)] : [];
  change(state, [...old, effect(state.root, to, entry)]);
}

function change(state: DiskState, effects: Change): void {
  apply(effects, ({ names }) => names);
  state.pending = [...state.pending, effects];
}

/** Does to the names of the folders what a call did. */
export function apply(effects: Change, namesOf: (folder: DiskFolder) => Map<string, Entry>): void {
  for (const { folder, name, entry } of effects) {
    if (entry === null) namesOf(folder).delete(name);
    else namesOf(folder).set(name, entry);
  }
}

function effect(root: DiskFolder, at: string, entry: Entry | null): Change[number] {
  const folder = entryAt(root, dirname(at));
  if (folder?.kind !== "folder") throw new Error(`the folder of ${at} was never seen`);
  return { folder, name: basename(at), entry };
}

function entryAt(root: DiskFolder, at: string): Entry | null {
  let entry: Entry = root;
  for (const name of at.split("/").filter((each) => each !== "" && each !== ".")) {
    const next: Entry | undefined = entry.kind === "folder" ? entry.names.get(name) : undefined;
    if (next === undefined) return null;
    entry = next;
  }
  return entry;
}

function fileAt(root: DiskFolder, at: string): DiskFile | null {
  const entry = entryAt(root, at);
  return entry?.kind === "file" ? entry : null;
}
