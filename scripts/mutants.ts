import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { announcing, type Mutant, placesOf, plant, type Signals } from "./mutants/plant.js";
import { endTests, type Ran, runAll, runUntilOneFails } from "./mutants/suite.js";

// bun run test:mutants [--count 60] [--seed 1] [--only store] [--ids 3,17] [--tests packages/workflow-store]... [--seconds 90]
//   [--out file]
// Plants single mistakes into a copy of the repository and asks which of them the tests find, each on its own: the
// files that reach it, nearest and cheapest first, until one fails. Prints a table of the packages, and the mistakes
// that no file found. Never in CI: a mistake may do anything that the code may, so the copy has a home of its own, and
// 300 of them take hours.

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    // Of the same mistakes these alone are judged: the ones that an earlier run with the same count and seed did not find.
    ids: { type: "string" },
    // For one mistake; what no test has found by then counts as not found.
    seconds: { type: "string", default: "90" },
    // Folders or files in place of the tests of the packages.
    tests: { type: "string", multiple: true, default: [] },
    out: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const places = placesOf(values.only);
const ids = values.ids?.split(",").map(Number) ?? null;

/** So many files run first, then twice as many: each run starts a worker. */
const BATCH = 4;

/** Tests that take so many times what they took without a mistake, and `--seconds` more, do not end: a busy machine is slow. */
const SLOWER = 4;

type Judged = Mutant & {
  /** How many files reach it. */
  readonly reached: number;
  /** How many of them ran until one failed. */
  readonly ran: number;
  readonly finder: string | null;
};

const source = resolve(import.meta.dirname, "..");
const root = join(mkdtempSync(join(tmpdir(), "uwf-mutants-")), "copy");
process.on("exit", () => rmSync(dirname(root), { recursive: true, force: true }));
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(signal, () => {
    endTests();
    process.exit(code);
  });
}

const signals: Signals = {
  active: join(dirname(root), "active"),
  current: join(dirname(root), "current"),
  reach: join(dirname(root), "reach"),
};
writeFileSync(signals.active, "0");
writeFileSync(signals.current, "");
writeFileSync(signals.reach, "");

copyRepository();
const planted = { count: Number(values.count), seed: Number(values.seed) };
const mutants = plant(root, places, planted, signals);
appendFileSync(join(root, "scripts/test/clean-up.ts"), announcing(signals, root));
// One worker: what a started program reaches is written down for the file that runs.
const config = join(root, "vitest.config.ts");
writeFileSync(config, readFileSync(config, "utf8").replace("maxWorkers: 2", "maxWorkers: 1"));
execFileSync("bun", ["run", "build:bins"], { cwd: root, stdio: "ignore" });
console.log(`${mutants.length} mistakes planted`);

const tests = values.tests.length === 0 ? places.flatMap((place) => place.tests) : values.tests;
const whole = await runAll(root, tests);
if (whole === null) throw new Error("the tests of the copy do not come to their end");
console.log(
  `${whole.costs.size} files of tests ran, ${whole.failed.length} failed without a mistake: ${whole.failed}`,
);

const reach = reachOf(whole);
const judged: Judged[] = [];
for (const mutant of mutants.filter(({ id }) => ids === null || ids.includes(id))) {
  const result = await judge(mutant, reach.get(mutant.id) ?? [], whole);
  judged.push(result);
  console.log(lineOf(result));
  if (values.out !== undefined) writeFileSync(values.out, JSON.stringify(judged, null, 1));
}
endTests();
console.log(`\n${table(judged)}`);

/** The tracked files and their changes, with links to the installed packages. */
function copyRepository(): void {
  mkdirSync(root, { recursive: true });
  mkdirSync(join(root, "mutants.home"));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: source,
  });
  execFileSync("tar", ["--create", "--file", join(root, "mutants.tar"), "--null", "--files-from", "-"], {
    cwd: source,
    input: files,
  });
  execFileSync("tar", ["--extract", "--file", "mutants.tar"], { cwd: root });
  execFileSync("cp", ["-a", "--link", join(source, "node_modules"), root]);
  for (const name of readdirSync(join(root, "packages"))) {
    for (const folder of ["node_modules", "dist"]) {
      const from = join(source, "packages", name, folder);
      if (existsSync(from)) execFileSync("cp", ["-a", from, join(root, "packages", name)]);
    }
  }
}

/** For each mistake the files of tests that reach it. What fails without a mistake tells nothing. */
function reachOf({ failed, costs }: Ran): ReadonlyMap<number, readonly string[]> {
  const reached = new Map<number, Set<string>>();
  for (const line of readFileSync(signals.reach, "utf8").split("\n")) {
    const [id, file] = line.split(" ");
    if (file === undefined || failed.includes(file) || !costs.has(file)) continue;
    reached.set(Number(id), (reached.get(Number(id)) ?? new Set()).add(file));
  }
  return new Map([...reached].map(([id, files]) => [id, [...files]]));
}

async function judge(mutant: Mutant, reaching: readonly string[], { costs }: Ran): Promise<Judged> {
  const order = [...reaching].sort(
    (a, b) => distance(mutant, a) - distance(mutant, b) || (costs.get(a) ?? 0) - (costs.get(b) ?? 0),
  );
  writeFileSync(signals.active, String(mutant.id));
  const until = Date.now() + seconds * 1000;
  let ran = 0;
  let finder: string | null = null;
  while (finder === null && ran < order.length && Date.now() < until) {
    const batch = order.slice(ran, ran + Math.max(BATCH, 2 * ran));
    const usual = batch.reduce((sum, file) => sum + (costs.get(file) ?? 0), 0) / 1000;
    const failed = await runUntilOneFails(root, batch, seconds + SLOWER * usual);
    finder = failed === null ? "(they did not end)" : (failed[0] ?? null);
    ran += batch.length;
  }
  writeFileSync(signals.active, "0");
  return { ...mutant, reached: order.length, ran, finder };
}

/** The tests of the same folder first, then those of the same package. */
function distance({ file }: Mutant, test: string): number {
  const [, ownPackage, , ...own] = file.split("/");
  const [, testPackage, , ...folders] = test.split("/");
  if (testPackage !== ownPackage) return 2;
  const nearest = own.length > 1 ? own[0] : own[0]?.replace(".ts", "");
  return folders.some((each) => each.replace(".test.ts", "") === nearest) ? 0 : 1;
}

function lineOf({ id, kind, file, line, before, reached, ran, finder }: Judged): string {
  const found = reached === 0 ? "not reached" : (finder ?? `NOT FOUND by ${ran} of ${reached} files`);
  return `${id} ${kind}, ${file}:${line} \`${before.replace(/\s+/g, " ").slice(0, 100)}\`: ${found}`;
}

function table(all: readonly Judged[]): string {
  const rows = places.map(({ folder }) => rowOf(folder.replace(/^packages\/|\/src/g, ""), all, folder));
  const head =
    "| code | planted | reached by no test | found | not found | found of what is reached |\n|---|---|---|---|---|---|";
  return [head, ...rows.filter((row) => row !== null), rowOf("all", all, "")].join("\n");
}

function rowOf(name: string, all: readonly Judged[], place: string): string | null {
  const here = all.filter((each) => each.place.startsWith(place));
  const reached = here.filter((each) => each.reached > 0);
  const found = reached.filter((each) => each.finder !== null).length;
  if (here.length === 0) return null;
  const share = reached.length === 0 ? "–" : `${Math.round((100 * found) / reached.length)} %`;
  const counts = [here.length, here.length - reached.length, found, reached.length - found, share];
  return `| ${name} | ${counts.join(" | ")} |`;
}
