import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { checkBoundaries } from "./boundaries.js";
import { BUILT_IN, EDGES, UNSEEN_DEPENDENCIES } from "./boundaries-tables.js";
import { budgetsOf, budgetTable, excess } from "./budgets.js";
import { checkLogTags } from "./log-tags.js";
import { checkManifests } from "./manifests.js";
import { formatProblems, type Problem, readTree } from "./source.js";

// bun run check [name…]: all checks, or the named ones. One line per check; what is wrong stands above its line.

type Check = {
  readonly name: string;
  /** What is wrong, as text to print; empty when all is well. */
  readonly run: () => string;
};

const root = resolve(import.meta.dirname, "..");
const tables = {
  builtIn: BUILT_IN,
  edges: EDGES,
  unseenDependencies: UNSEEN_DEPENDENCIES,
};

const checks: readonly Check[] = [
  { name: "types", run: () => tool("tsc", "--build") },
  { name: "test-types", run: () => tool("tsc", "--project", "tsconfig.test.json") },
  { name: "page-types", run: () => tool("tsc", "--project", "tsconfig.pages.json") },
  { name: "biome", run: () => tool("biome", "check", "--error-on-warnings", "--max-diagnostics=200", ".") },
  { name: "boundaries", run: () => text(checkBoundaries(readTree(root), tables)) },
  { name: "log-tags", run: () => text(checkLogTags(readTree(root))) },
  { name: "manifests", run: () => text(checkManifests(readTree(root))) },
  { name: "budgets", run: budgets },
];

process.exit(main(process.argv.slice(2)));

function main(wanted: readonly string[]): number {
  const unknown = wanted.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    console.error(
      `no check is called ${unknown.join(", ")}; there are ${checks.map(({ name }) => name).join(", ")}`,
    );
    return 2;
  }
  const chosen = checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const failed = chosen.filter((check) => !passes(check));
  if (failed.length > 0) console.error(`check failed: ${failed.map(({ name }) => name).join(", ")}`);
  return failed.length > 0 ? 1 : 0;
}

function passes({ name, run }: Check): boolean {
  const startedAt = performance.now();
  const complaint = run();
  const ok = complaint === "";
  if (!ok) console.error(complaint);
  console.log(`${ok ? "ok  " : "FAIL"}  ${name} (${Math.round(performance.now() - startedAt)} ms)`);
  return ok;
}

/** Printed when they hold, too. */
function budgets(): string {
  const all = budgetsOf(root);
  console.log(budgetTable(all));
  return excess(all);
}

/** Runs a tool of node_modules/.bin; its output only matters when it fails. */
function tool(name: string, ...args: readonly string[]): string {
  const done = spawnSync(join(root, "node_modules", ".bin", name), args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.error !== undefined) return `cannot start ${name}: ${done.error.message}`;
  if (done.status === 0) return "";
  const output = `${done.stdout}${done.stderr}`.trim();
  return output === "" ? `${name} ended with ${done.status ?? done.signal}` : output;
}

function text(problems: readonly Problem[]): string {
  return formatProblems(problems);
}
