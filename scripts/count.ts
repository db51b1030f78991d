import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

// bun scripts/count.ts [root]: the figures by which the house is judged, as JSON.

export type Counts = {
  readonly files: number;
  readonly lines: number;
  /** Lines of a file. */
  readonly median: number;
  readonly p90: number;
  /** `index.ts` and `types.ts`. */
  readonly indexesAndTypes: number;
  /** Folders below src/ with one or two implementation files, except `bin`, whose files are named by package.json. */
  readonly smallFolders: readonly string[];
  /** Words that people write and read: README.md, docs/ and the packages' READMEs, without what the build makes. */
  readonly words: number;
  readonly testLines: number;
  readonly testPerSource: number;
};

const HARNESS = "faults";

/** Of docs/: made by the build, or made for a good part (the tables of agents.md). */
const MADE: ReadonlySet<string> = new Set(["agents.md", "environment.md", "errors.md", "reference.md"]);

export function count(root: string): Counts {
  const packages = readdirSync(join(root, "packages"));
  // The harness that breaks promises on purpose tests the others, all of it.
  const harness = filesIn(join(root, "packages", HARNESS, "src"));
  const sources = packages
    .filter((name) => name !== HARNESS)
    .flatMap((name) => filesIn(join(root, "packages", name, "src")));
  const tests = [...harness, ...packages.flatMap((name) => filesIn(join(root, "packages", name, "test")))];
  const lengths = sources.map(linesOf).sort((left, right) => left - right);
  const lines = sum(lengths);
  const testLines = sum([...tests, ...filesIn(join(root, "scripts", "test"))].map(linesOf));
  return {
    files: sources.length,
    lines,
    median: lengths[Math.floor(lengths.length / 2)] ?? 0,
    p90: lengths[Math.floor(lengths.length * 0.9)] ?? 0,
    indexesAndTypes: sources.filter((file) => !isImplementation(file)).length,
    smallFolders: smallFolders(root, sources),
    words: sum(Object.values(wordsByHand(root))),
    testLines,
    testPerSource: Math.round((testLines / lines) * 100) / 100,
  };
}

/** The words of each document that is written by hand, as `wc -w` counts them: what stands in code and tables counts. */
export function wordsByHand(root: string): Readonly<Record<string, number>> {
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && !MADE.has(name));
  const files = [
    "README.md",
    ...docs.map((name) => `docs/${name}`),
    ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
  ];
  return Object.fromEntries(
    files
      .filter((file) => existsSync(join(root, file)))
      .map((file) => [file, readFileSync(join(root, file), "utf8").match(/\S+/g)?.length ?? 0]),
  );
}

/** That the documents written by hand have more words than `most`, with the longest of them; empty when they have not. */
export function excessOfWords(root: string, most: number): string {
  const words = wordsByHand(root);
  const total = sum(Object.values(words));
  if (total <= most) return "";
  const longest = Object.entries(words)
    .sort(([, left], [, right]) => right - left)
    .slice(0, 10)
    .map(([file, count]) => `  ${count} ${file}`);
  return [`the documents have ${total} words, ${total - most} more than ${most}:`, ...longest].join("\n");
}

function smallFolders(root: string, sources: readonly string[]): readonly string[] {
  const perFolder = new Map<string, number>();
  for (const file of sources.filter(isImplementation)) {
    const folder = relative(root, resolve(file, ".."));
    perFolder.set(folder, (perFolder.get(folder) ?? 0) + 1);
  }
  return [...perFolder]
    .filter(([folder, files]) => files < 3 && !/\/src$|\/bin$/.test(folder))
    .map(([folder]) => folder)
    .sort();
}

function isImplementation(file: string): boolean {
  return !/\/(?:index|types)\.ts$/.test(file);
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.[jt]s$/.test(name) && !name.includes("fixtures"))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function linesOf(file: string): number {
  return readFileSync(file, "utf8").split("\n").length - 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

if (import.meta.filename === process.argv[1]) {
  console.log(JSON.stringify(count(resolve(process.argv[2] ?? join(import.meta.dirname, ".."))), null, 2));
}
