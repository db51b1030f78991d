import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../frame.js";
import type { Call } from "../inject.js";
import { apply, type DiskFile, type DiskFolder, type DiskState, type Entry } from "./disk-state.js";

/** What had been told when the power went. */
export type Told = {
  /** What uwf had printed. */
  readonly document: string;
  /** The hash that the agent had printed and synced: its step has been paid for. */
  readonly result: string | null;
};

/** What uwf and its agent had told after these calls. */
export function acknowledged(calls: readonly Call[]): Told {
  const done = calls.filter(({ path, outcome }) => path === "stdout" && outcome === "done");
  const textOf = (role: Call["role"]): string =>
    done
      .filter((call) => call.role === role && call.name === "write")
      .map(({ data }) => Buffer.from(data ?? "", "base64").toString("utf8"))
      .join("");
  const isSynced = done.some(({ role, name }) => role === "agent" && name === "fsync");
  return { document: textOf("uwf"), result: isSynced ? textOf("agent").trim() : null };
}

/** What a disk holds after a power cut: the files by their paths, `null` for a folder. */
export type Left = {
  readonly how: string;
  readonly hash: string;
  readonly entries: ReadonlyMap<string, { readonly data: Buffer; readonly mtime: Date } | null>;
};

type DataRule = (file: DiskFile) => Buffer;

const kept: DataRule = ({ data }) => data;
const lost: DataRule = ({ synced }) => synced;

/** The length got to the disk, the bytes did not. */
const zeros: DataRule = ({ data, synced }) =>
  data.length > synced.length ? Buffer.concat([synced, Buffer.alloc(data.length - synced.length)]) : synced;

/** Half of what was appended. */
const torn: DataRule = ({ data, synced }) =>
  data.length > synced.length
    ? data.subarray(0, synced.length + ((data.length - synced.length) >> 1))
    : synced;

const RULES = [kept, lost, zeros, torn] as const;

/** Everything that a power cut may leave of a state: the extremes, and `mixtures` that chance chooses. */
export function variantsOf(state: DiskState, random: Random, mixtures: number): readonly Left[] {
  const all = state.pending.map(() => true);
  const none = state.pending.map(() => false);
  const fixed = [
    leftBy(state, "nothing that was not synced is there", none, lost),
    leftBy(state, "everything is there", all, kept),
    leftBy(state, "names are there, bytes are not", all, lost),
    leftBy(state, "names and lengths are there, bytes are zeros", all, zeros),
    leftBy(state, "names are there, bytes are cut short", all, torn),
    leftBy(state, "bytes are there, names are not", none, kept),
  ];
  const mixed = Array.from({ length: mixtures }, (_, index) => {
    const chosen = state.pending.map(() => random.next() < 0.5);
    const rules = new Map<DiskFile, DataRule>();
    const rule: DataRule = (file) => {
      const found = rules.get(file) ?? random.pick(RULES);
      rules.set(file, found);
      return found(file);
    };
    return leftBy(state, `mixture ${index + 1}: names ${chosen.map(Number).join("")}`, chosen, rule);
  });
  return [...fixed, ...mixed];
}

function leftBy({ root, pending }: DiskState, how: string, chosen: readonly boolean[], rule: DataRule): Left {
  const names = new Map<DiskFolder, Map<string, Entry>>();
  const namesOf = (folder: DiskFolder): Map<string, Entry> => {
    const found = names.get(folder) ?? new Map(folder.synced);
    names.set(folder, found);
    return found;
  };
  for (const [index, effects] of pending.entries()) if (chosen[index] === true) apply(effects, namesOf);
  const entries = new Map<string, { readonly data: Buffer; readonly mtime: Date } | null>();
  const walk = (folder: DiskFolder, at: string): void => {
    for (const [name, entry] of namesOf(folder)) {
      const path = join(at, name);
      entries.set(path, entry.kind === "folder" ? null : { data: rule(entry), mtime: entry.mtime });
      if (entry.kind === "folder") walk(entry, path);
    }
  };
  walk(root, "");
  return { how, hash: hashOf(entries), entries };
}

function hashOf(entries: Left["entries"]): string {
  const hash = createHash("sha256");
  for (const [path, file] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${path}\0${file === null ? "folder" : file.data.length}\0`);
    if (file !== null) hash.update(file.data);
  }
  return hash.digest("hex");
}

const BOOT = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

/** The boot that ended with the power cut. */
const EARLIER_BOOT = BOOT.replaceAll(/[0-9a-f]/g, (digit) => (15 - Number.parseInt(digit, 16)).toString(16));

/** An hour before this machine was started, in epoch ms. */
const BEFORE_BOOT_MS =
  Number(/^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? 0) * 1000 - 3_600_000;

/** Writes what is left as a machine finds it that has been started again: what tells its boot tells an earlier one. */
export function writeLeft({ entries }: Left, root: string): void {
  mkdirSync(root, { recursive: true });
  for (const [path, file] of entries) {
    const at = join(root, path);
    if (file === null) {
      mkdirSync(at);
      continue;
    }
    writeFileSync(at, path.startsWith("cas/") ? file.data : ofEarlierBoot(file.data));
    const mtime = new Date(Math.min(file.mtime.getTime(), BEFORE_BOOT_MS));
    utimesSync(at, mtime, mtime);
  }
}

function ofEarlierBoot(data: Buffer): Buffer {
  const text = data
    .toString("latin1")
    .replaceAll(BOOT, EARLIER_BOOT)
    .replaceAll(/"(acquiredAt|startedAt)":\d+/g, `"$1":${BEFORE_BOOT_MS}`);
  return Buffer.from(text, "latin1");
}
