import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Bundle,
  bundle,
  bundleForBun,
  sizeOf,
  writeAddOn,
  writeBundle,
  writeFormats,
  writeLaunchers,
  writePages,
  writeTemplates,
  writeTestAgents,
} from "./bins/index.js";

// bun run build:bins [root] [package…]: bundles every packages/<package>/src/bin/<name>.ts into dist/bin/<name>.js
// for Node.js and dist/bun/<name>.js with its bytecode for bun, and makes bin/<name>, which starts one of them. Needs no
// `tsc --build`. Goes on after an error, and ends with 1.

const [rootArgument, ...only] = process.argv.slice(2);
const root = resolve(rootArgument ?? resolve(import.meta.dirname, ".."));
const failures: string[] = [];

/** The package whose `uwf init` writes examples. */
const WITH_TEMPLATES = "cli-workflow";

/** The package whose tests play agents that are programs. */
const WITH_TEST_AGENTS = "cli-workflow";

/** The package that has a part of a library in it. */
const WITH_FORMATS = "json-schema";

/** The package whose pages have styles and scripts. */
const WITH_PAGES = "workflow-report";

// Where a bundle must not show: the check for paths of this machine looks for it.
process.chdir(root);

for (const folder of readdirSync(join(root, "packages")).sort()) {
  if (only.length === 0 || only.includes(folder)) failures.push(...(await buildPackage(folder)));
}
if (failures.length > 0) {
  console.error(failures.join("\n"));
  console.error(`build-bins: ${failures.length} failed`);
  process.exit(1);
}

async function buildPackage(folder: string): Promise<readonly string[]> {
  const dir = join(root, "packages", folder);
  const sources = join(dir, "src", "bin");
  const names = existsSync(sources)
    ? readdirSync(sources)
        .filter((file) => file.endsWith(".ts"))
        .sort()
    : [];
  try {
    if (folder === WITH_PAGES) writePages(root);
    if (folder === WITH_FORMATS) await writeFormats(root);
    if (names.length > 0) {
      const binaries = { dir, sources: names.map((name) => join(sources, name)) };
      const built = await bundle(binaries);
      writeBundle(built, join(dir, "dist", "bin"));
      await bundleForBun(binaries, join(dir, "dist", "bun"));
      if (folder === WITH_TEMPLATES) writeTemplates(root);
      if (folder === WITH_TEST_AGENTS) await writeTestAgents(dir);
      writeLaunchers(
        join(dir, "bin"),
        names.map((name) => name.replace(/\.ts$/, "")),
      );
      printSizes(built);
    }
    if (existsSync(join(dir, "src/add-on.ts"))) await writeAddOn(dir);
    return missing(dir, folder, names);
  } catch (error) {
    return [
      `${folder}: cannot bundle ${names.join(", ")}\n${error instanceof Error ? error.message : error}`,
    ];
  }
}

/** What package.json and src/bin say differently: it would fail on the user's machine. */
function missing(dir: string, folder: string, built: readonly string[]): readonly string[] {
  const file = join(dir, "package.json");
  if (!existsSync(file)) return [];
  type Manifest = { readonly bin: Readonly<Record<string, string>> | undefined };
  const bin = (JSON.parse(readFileSync(file, "utf8")) as Manifest).bin ?? {};
  const unmade = Object.keys(bin).filter((name) => !built.includes(`${name}.ts`));
  const unsaid = built
    .map((source) => source.replace(/\.ts$/, ""))
    .filter((name) => bin[name] !== `./bin/${name}`);
  return [
    ...unmade.map((name) => `${folder}: bin/${name} has no bundle, src/bin/${name}.ts is missing`),
    ...unsaid.map((name) => `${folder}: package.json does not say "${name}": "./bin/${name}"`),
  ];
}

function printSizes(built: Bundle): void {
  for (const entry of built.entries) {
    const { start, all } = sizeOf(built, entry);
    console.log(`${entry.padEnd(16)} ${kilobytes(start)} at start, ${kilobytes(all)} in all`);
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0).padStart(5)} kB`;
}
