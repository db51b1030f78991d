import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { computeHash, decodeNode } from "@uncaged/json-cas";
import type { Random } from "../frame.js";
import type { Snapshot } from "./lab.js";

// Damage that nobody can mistake for an edit: what keeps the form of a file is not promised to be noticed
// (docs/reliability.md), so there is none of it here.

/** What a file is, by what a damage of it may change: the first pattern that fits. */
const AREAS = [
  [/^cas\/[0-9A-Z]{13}\.bin$/, "node"],
  [/^cas\/pack\//, "pack"],
  [/^cas\/_index\//, "index"],
  [/^cas\/_format$/, "format"],
  [/^threads\.yaml$/, "threads"],
  [/^(history|removed)\.jsonl$/, "history"],
  [/^registry(-history\.jsonl|\.yaml)$/, "registry"],
  [/^children\.jsonl$/, "family"],
  [/^runs\//, "run"],
  [/^(config\.yaml|\.env)$/, "settings"],
  [/^logs\//, "log"],
  [/^locks\//, "lock"],
  [/./, "other"],
] as const;

export type Area = (typeof AREAS)[number][1];

export function areaOf(name: string): Area {
  return AREAS.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}

/** What was done to which files: two when two were swapped. */
export type Damage = {
  readonly how: string;
  readonly area: Area;
  /** Relative to the root. */
  readonly files: readonly string[];
  /** What stands there afterwards; `null`: nothing. */
  readonly after: ReadonlyMap<string, Uint8Array | null>;
};

/** Chooses an area, a file of it, and a way to damage it. */
export function chooseDamage(whole: Snapshot, random: Random): Damage {
  const names = [...whole.keys()].filter((name) => (whole.get(name)?.length ?? 0) > 0);
  const one = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const area = one([...new Set(names.map(areaOf))]);
  const file = one(names.filter((name) => areaOf(name) === area));
  const before = whole.get(file) ?? new Uint8Array();
  const others = names.filter((name) => name !== file && areaOf(name) === area);
  const how = one(waysTo(file, others.length > 0));
  if (how === "swap") {
    const other = one(others);
    const after = new Map([
      [file, whole.get(other) ?? null],
      [other, before],
    ]);
    return { how, area, files: [file, other], after };
  }
  const damaged = how === "delete" ? null : changed(file, before, how, random);
  return { how, area, files: [file], after: new Map([[file, damaged]]) };
}

/** A line of a text file that is gone, or a file of the kind that may be absent, looks like an edit; so does a torn last line. */
function waysTo(file: string, hasOthers: boolean): readonly string[] {
  const area = areaOf(file);
  if (area === "node") return ["flip", "cut", "zero", "delete", ...(hasOthers ? ["swap"] : [])];
  if (area === "pack") return ["flip", "cut", "zero", "delete"];
  if (/^(cas\/_|logs\/|locks\/)/.test(file)) return ["flip", "cut", "zero", "delete"];
  return /\.(yaml|json)$|\/ending$/.test(file) ? ["spoil", "cut", "zero"] : ["spoil"];
}

function changed(file: string, before: Uint8Array, how: string, random: Random): Uint8Array {
  const at = random.below(before.length);
  if (how === "zero") return new Uint8Array(before.length);
  // In the middle of a line.
  if (how === "cut")
    return before.slice(0, Math.min(before.length - 1, before.lastIndexOf(10, before.length - 2) + 3));
  const after = Uint8Array.from(before);
  // A control character, which no text of ours has as it is, and before the last newline.
  if (how === "spoil") after[Math.max(0, Math.min(at, before.length - 3))] = 0;
  else after[at] = (after[at] ?? 0) ^ (1 << random.below(8));
  return how === "flip" && isSameNode(file, after) ? changed(file, before, how, random) : after;
}

/** The time of a node is not hashed, so nobody can tell whether it is the right one. */
function isSameNode(file: string, bytes: Uint8Array): boolean {
  try {
    const { type, payload } = decodeNode(bytes);
    return file === `cas/${computeHash(type, payload)}.bin`;
  } catch {
    return false;
  }
}

export function inflict(root: string, { after }: Damage): void {
  for (const [name, bytes] of after) {
    if (bytes === null) rmSync(join(root, name));
    else writeFileSync(join(root, name), bytes);
  }
}

export function describe({ how, files, after }: Damage): string {
  const shown = files.map((name) => `${name} is now ${shownBytes(after.get(name) ?? null)}`);
  return `${how} ${shown.join(" and ")}`;
}

export function shownBytes(bytes: Uint8Array | null): string {
  return bytes === null ? "gone" : JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 600));
}
