import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../frame/index.js";
import { type Area, type Damage, HOWS, type How, type Snapshot } from "./types.js";

/** The first that fits says what a file is. */
const AREAS: readonly (readonly [RegExp, Area])[] = [
  [/^cas\/[0-9A-Z]{13}\.bin$/, "node"],
  [/^cas\/_index\//, "index"],
  [/^cas\/_format$/, "format"],
  [/^threads\.yaml$/, "threads"],
  [/^history\.jsonl$/, "history"],
  [/^registry\.yaml$/, "registry"],
  [/^runs\/[^/]+\/ending$/, "ending"],
  [/^runs\//, "run"],
  [/^(config\.yaml|\.env)$/, "settings"],
  [/^logs\//, "log"],
  [/^locks\//, "lock"],
];

/** Nodes are most of the files; every other area gets its share of the damages too. */
const SHARES: Readonly<Record<Area, number>> = {
  node: 10,
  threads: 5,
  history: 4,
  run: 4,
  registry: 3,
  ending: 2,
  settings: 2,
  log: 2,
  lock: 2,
  index: 2,
  format: 1,
  other: 1,
};

export function areaOf(name: string): Area {
  return AREAS.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}

/** Chooses a file and a way to damage it. */
export function chooseDamage(whole: Snapshot, random: Random): Damage {
  const file = chooseFile([...whole.keys()], random);
  const how = random.pick(HOWS);
  const others = [...whole.keys()].filter((name) => name !== file && areaOf(name) === areaOf(file));
  const other = others[random.below(others.length)];
  return damageOf(whole, random, { how: how === "swap" && other === undefined ? "flip" : how, file, other });
}

function chooseFile(names: readonly string[], random: Random): string {
  const areas = [...new Set(names.map(areaOf))];
  let left = random.below(areas.reduce((sum, area) => sum + SHARES[area], 0));
  const area = areas.find((each) => {
    left -= SHARES[each];
    return left < 0;
  });
  const files = names.filter((name) => areaOf(name) === area);
  return files[random.below(files.length)] ?? "";
}

type Choice = { readonly how: How; readonly file: string; readonly other: string | undefined };

function damageOf(whole: Snapshot, random: Random, { how, file, other }: Choice): Damage {
  const before = whole.get(file) ?? new Uint8Array();
  const area = areaOf(file);
  if (how === "swap" && other !== undefined) {
    const after = new Map([
      [file, whole.get(other) ?? null],
      [other, before],
    ]);
    return { how, area, files: [file, other], after };
  }
  return { how, area, files: [file], after: new Map([[file, changed(before, how, random)]]) };
}

function changed(before: Uint8Array, how: How, random: Random): Uint8Array | null {
  switch (how) {
    case "delete":
      return null;
    case "truncate":
      return before.slice(0, random.below(before.length));
    case "zero":
      return new Uint8Array(before.length);
    default:
      return flipped(before, random);
  }
}

const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** One bit; or, where a hash or an id may stand, one of its letters, which is the flip that is hardest to see. */
function flipped(before: Uint8Array, random: Random): Uint8Array {
  const after = Uint8Array.from(before);
  const letters = [...before.keys()].filter((place) =>
    LETTERS.includes(String.fromCharCode(before[place] ?? 0)),
  );
  if (letters.length === 0 || random.below(2) === 0) {
    const place = random.below(after.length);
    after[place] = (after[place] ?? 0) ^ (1 << random.below(8));
    return after;
  }
  after[letters[random.below(letters.length)] ?? 0] = LETTERS.charCodeAt(random.below(LETTERS.length));
  return after;
}

export function inflict(root: string, { after }: Damage): void {
  for (const [name, bytes] of after) {
    if (bytes === null) rmSync(join(root, name));
    else writeFileSync(join(root, name), bytes);
  }
}

export function describe({ how, files, after }: Damage): string {
  const shown = files.map((name) => {
    const bytes = after.get(name);
    return bytes
      ? `${name} is now ${JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 600))}`
      : name;
  });
  return `${how} ${shown.join(" and ")}`;
}
