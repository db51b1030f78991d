import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// How large the whole may be. What exceeds a budget says in the same commit what it removes, or the commit that raises the
// limit says why. Physical lines: blank lines and comments count, and nothing is minified to fit.

export type Budget = {
  readonly what: string;
  readonly now: number;
  /** More fails the check. Lowered whenever something goes. */
  readonly most: number;
  /** Where the house wants to be. */
  readonly goal: number;
};

/** Packages that the core builds, tests, packs and runs without. */
export const ADD_ONS: readonly string[] = [
  "workflow-docx",
  "workflow-agent-docx-diff",
  "workflow-agent-office",
  "workflow-remote",
];

const HARNESS = "faults";

/** Of docs/: made by the build, or made for a good part (the tables of agents.md). */
const MADE: ReadonlySet<string> = new Set(["agents.md", "environment.md", "errors.md", "reference.md"]);

/** Every budget of a tree, with what it has now. */
export function budgetsOf(root: string): readonly Budget[] {
  const packages = readdirSync(join(root, "packages"));
  const sourcesOf = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => filesIn(join(root, "packages", name, "src")));
  const core = sourcesOf(packages.filter((name) => name !== HARNESS && !ADD_ONS.includes(name)));
  const harness = [...sourcesOf([HARNESS]), ...filesIn(join(root, "scripts")).filter(isNoTest)];
  const words = Object.values(wordsByHand(root));
  return [
    { what: "lines of core", now: linesOf(core), most: 80_070, goal: 68_000 },
    { what: "files of core", now: core.length, most: 576, goal: 560 },
    { what: "lines of add-ons", now: linesOf(sourcesOf(ADD_ONS)), most: 12_410, goal: 12_500 },
    { what: "lines of harness", now: linesOf(harness), most: 10_440, goal: 10_000 },
    {
      what: "words of documents",
      now: words.reduce((sum, each) => sum + each, 0),
      most: 30_000,
      goal: 30_000,
    },
    { what: "names of workflow-store", now: exportedNames(root, "workflow-store"), most: 211, goal: 120 },
    { what: "folders of one or two files", now: smallFolders(root, packages).length, most: 0, goal: 0 },
  ];
}

/** One line per budget. */
export function budgetTable(budgets: readonly Budget[]): string {
  const number = (value: number): string => value.toLocaleString("en").padStart(7);
  return budgets
    .map(
      ({ what, now, most, goal }) =>
        `${number(now)} of ${number(most)} ${what} (goal ${number(goal).trim()})`,
    )
    .join("\n");
}

/** The budgets that are exceeded, in words; empty when all hold. */
export function excess(budgets: readonly Budget[]): string {
  return budgets
    .filter(({ now, most }) => now > most)
    .map(({ what, now, most }) => `${now} ${what}, ${now - most} more than ${most}`)
    .join("\n");
}

/** The words of each document that is written by hand, as `wc -w` counts them: what stands in code and tables counts. */
export function wordsByHand(root: string): Readonly<Record<string, number>> {
  const folder = join(root, "docs");
  const docs = existsSync(folder) ? readdirSync(folder) : [];
  const files = [
    "README.md",
    ...docs.filter((name) => name.endsWith(".md") && !MADE.has(name)).map((name) => `docs/${name}`),
    ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
  ];
  return Object.fromEntries(
    files
      .filter((file) => existsSync(join(root, file)))
      .map((file) => [file, readFileSync(join(root, file), "utf8").match(/\S+/g)?.length ?? 0]),
  );
}

/** Names in the `export { … }` lists of a package's index.ts. */
function exportedNames(root: string, name: string): number {
  const file = join(root, "packages", name, "src/index.ts");
  if (!existsSync(file)) return 0;
  const lists = readFileSync(file, "utf8").matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [...lists].flatMap(([, list = ""]) => list.split(",").filter((each) => each.trim() !== "")).length;
}

/** Folders below src/ with one or two implementation files, but for `bin`, whose files package.json names. */
export function smallFolders(root: string, packages: readonly string[]): readonly string[] {
  const perFolder = new Map<string, number>();
  for (const name of packages.filter((each) => each !== HARNESS)) {
    for (const file of filesIn(join(root, "packages", name, "src")).filter(isImplementation)) {
      const folder = file.slice(root.length + 1, file.lastIndexOf("/"));
      perFolder.set(folder, (perFolder.get(folder) ?? 0) + 1);
    }
  }
  return [...perFolder]
    .filter(([folder, files]) => files < 3 && !/\/src$|\/bin$/.test(folder))
    .map(([folder]) => folder)
    .sort();
}

function isImplementation(file: string): boolean {
  return !/\/(?:index|types)\.ts$/.test(file);
}

function isNoTest(file: string): boolean {
  return !file.includes("/scripts/test/");
}

/** What is written in a language of programs, without what the build makes. */
function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:[cm]?[jt]s|sh|css)$/.test(name) && !name.endsWith(".made.ts"))
    .map((name) => join(folder, name));
}

function linesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length - 1, 0);
}
