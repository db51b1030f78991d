import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { KINDS, type Mutation, mutationsOf, SWITCH } from "./mutations.js";

type Place = {
  readonly folder: string;
  /** How many of a hundred mistakes. */
  readonly share: number;
  /** What is to find them: the folders of its tests. */
  readonly tests: readonly string[];
};

/** Where mistakes are planted. */
const PLACES: readonly Place[] = [
  {
    folder: "packages/workflow-engine/src/step",
    share: 19,
    tests: ["packages/workflow-engine/test/step", "packages/cli-workflow/test/step"],
  },
  { folder: "packages/workflow-store/src", share: 21, tests: ["packages/workflow-store"] },
  { folder: "packages/json-cas-fs/src", share: 18, tests: ["packages/json-cas-fs"] },
  { folder: "packages/workflow-agent-kit/src", share: 18, tests: ["packages/workflow-agent-kit"] },
  { folder: "packages/workflow-moderator/src", share: 14, tests: ["packages/workflow-moderator"] },
  { folder: "packages/workflow-protocol/src", share: 10, tests: ["packages/workflow-protocol"] },
];

/** The places whose folder has `only` in its name. */
export function placesOf(only: string): readonly Place[] {
  return PLACES.filter(({ folder }) => folder.includes(only));
}

export type Mutant = Mutation & { readonly id: number; readonly place: string; readonly file: string };

/** What tells a planted program which mistake to make, and where it says which ones it has reached. */
export type Signals = {
  /** A file with the number of the mistake that is made; 0 for none. */
  readonly active: string;
  /** A file with the name of the file of tests that runs. */
  readonly current: string;
  /** A file with a line "<number> <file of tests>" for each mistake that was reached, written while none is made. */
  readonly reach: string;
};

/** Plants `count` mistakes, spread over places, files and kinds, into the sources below `root`. Each is off until `active` names it. */
export function plant(
  root: string,
  places: readonly Place[],
  { count, seed }: { readonly count: number; readonly seed: number },
  signals: Signals,
): readonly Mutant[] {
  const random = numbersFrom(seed);
  const shares = places.reduce((sum, { share }) => sum + share, 0);
  const mutants: Mutant[] = [];
  for (const { folder, share } of places) {
    const chosen = choose(root, folder, Math.round((count * share) / shares), random);
    for (const each of chosen) mutants.push({ ...each, id: mutants.length + 1, place: folder });
  }
  for (const file of new Set(mutants.map((each) => each.file))) {
    const path = join(root, file);
    let text = readFileSync(path, "utf8");
    const here = mutants.filter((each) => each.file === file).sort((a, b) => b.start - a.start);
    for (const { id, start, end, planted } of here)
      text = text.slice(0, start) + planted(id) + text.slice(end);
    writeFileSync(path, `${headOf(signals)}${text}`);
  }
  return mutants;
}

type Chosen = Mutation & { readonly file: string };

/** File by file, and in each the kind that has been chosen least. */
function choose(root: string, place: string, count: number, random: () => number): readonly Chosen[] {
  const files = shuffled(sourcesIn(join(root, place)), random).map((path) => {
    const file = relative(root, path);
    const free = shuffled(mutationsOf(path, readFileSync(path, "utf8"), random), random);
    return { file, free: free.map((mutation): Chosen => ({ ...mutation, file })) };
  });
  const chosen: Chosen[] = [];
  const ofKind = new Map(KINDS.map((kind) => [kind, 0]));
  const rare = ({ kind }: Chosen): number => ofKind.get(kind) ?? 0;
  for (let left = count; left > 0; ) {
    const before = left;
    for (const { file, free } of files) {
      const mine = chosen.filter((each) => each.file === file);
      const apart = free.filter((each) =>
        mine.every(({ start, end }) => each.end <= start || end <= each.start),
      );
      const next = apart.sort((a, b) => rare(a) - rare(b))[0];
      if (next === undefined || left === 0) continue;
      chosen.push(next);
      ofKind.set(next.kind, rare(next) + 1);
      left -= 1;
    }
    if (left === before) break;
  }
  return chosen;
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (each) => each.isFile() && each.name.endsWith(".ts") && !["index.ts", "types.ts"].includes(each.name),
    )
    .map((each) => join(each.parentPath, each.name))
    .sort();
}

/** The name of the global by which the process of the tests knows their file; what it starts reads `current` once. */
const TEST_FILE = "__testFile";

/** What a setup file of the tests says, for each of their files. */
export function announcing({ current }: Signals, root: string): string {
  return `
import { writeFileSync as write } from "node:fs";
import { expect as ofThisFile } from "vitest";
const testFile = (ofThisFile.getState().testPath ?? "").slice(${root.length + 1});
(globalThis as any).${TEST_FILE} = testFile;
write(${JSON.stringify(current)}, testFile);
`;
}

/** A process asks once which mistake it makes: a test that starts programs gets the same one everywhere. */
function headOf({ active, current, reach }: Signals): string {
  return `// biome-ignore-all lint: planted
const ${SWITCH}: (id: number) => boolean = ((globalThis as any).${SWITCH} ??= (() => {
  const fs = process.getBuiltinModule("node:fs");
  const made = Number(fs.readFileSync(${JSON.stringify(active)}, "utf8"));
  const own = fs.readFileSync(${JSON.stringify(current)}, "utf8");
  const seen = new Set();
  return (id: number) => {
    if (made === 0) {
      const place = \`\${id} \${(globalThis as any).${TEST_FILE} ?? own}\\n\`;
      if (!seen.has(place)) fs.appendFileSync(${JSON.stringify(reach)}, place);
      seen.add(place);
    }
    return id === made;
  };
})());
`;
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

/** Numbers below 1, the same for the same seed: a linear congruential generator with the constants of Numerical Recipes. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
