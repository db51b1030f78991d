import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isAddOn, type Package, PROGRAM, type Problem, type Tree } from "./source.js";

/** What npm installs of the program: its bundles, what they read, and the types of its one function. */
const PROGRAM_FILES = [
  ...[
    "bin",
    "man",
    "reference.md",
    "errors.md",
    "environment.md",
    "dist/bin",
    "dist/bun",
    "dist/templates",
    "dist/library.js",
  ],
  ...["dist/index.d.ts", "dist/io.d.ts", "dist/main.d.ts"],
];

/** What is in `add-on.cjs` alone: it imports what uwf gives it there, and nobody installs beside the package. */
const IN_ADD_ON: Readonly<Record<string, readonly string[]>> = {
  "workflow-docx": ["!dist/add-on.js", "!dist/add-on.d.ts"],
  "workflow-remote": [
    "!dist/add-on.js",
    "!dist/add-on.d.ts",
    "!dist/commands",
    "!dist/on-remote",
    "!dist/topic.*",
    "!dist/work",
  ],
};

/** What every published package.json says the same way, and what stands beside it. */
export function checkManifests(tree: Tree): readonly Problem[] {
  return [
    ...tree.packages.flatMap((one) => fieldProblems(one, tree)),
    ...tree.packages.flatMap((one) => companionProblems(one, tree.root)),
    ...tree.packages.flatMap(rangeProblems),
    ...versionConflicts(tree),
  ];
}

function fieldProblems({ path, manifest, folder }: Package, tree: Tree): Problem[] {
  const hasBins = Object.keys(manifest.bin).length > 0;
  const wanted: Readonly<Record<string, unknown>> = {
    name: `@uncaged/${folder}`,
    // Changesets moves all packages together (.changeset/config.json, `fixed`).
    version: tree.packages[0]?.manifest.version,
    license: "MIT",
    type: "module",
    engines: tree.manifest.raw.engines,
    files:
      folder === PROGRAM
        ? PROGRAM_FILES
        : ["dist", "!dist/.tsbuildinfo", ...(IN_ADD_ON[folder] ?? []), ...(hasBins ? ["bin"] : [])],
    ...(folder === PROGRAM ? { dependencies: undefined } : {}),
    publishConfig: { access: "public" },
    exports: {
      ".": {
        "uwf-source": "./src/index.ts",
        types: "./dist/index.d.ts",
        // json-cas has to be started before it is used, and the program is a bundle.
        default: existsSync(join(tree.root, path, "src/library.ts"))
          ? "./dist/library.js"
          : "./dist/index.js",
      },
      // One bundle for all agents, in a form for each runtime: scripts/bins/kit.ts.
      ...(existsSync(join(tree.root, path, "src/kit.ts"))
        ? { "./kit": { bun: "./dist/bun/kit.js", default: "./dist/bin/kit.js" } }
        : {}),
      // What uwf has for add-ons, which only this repository needs types of; and an add-on.
      ...(folder === PROGRAM
        ? { "./add-on": { "uwf-source": "./src/for-add-ons.ts", types: "./dist/for-add-ons.d.ts" } }
        : {}),
      ...(isAddOn(join(tree.root, path)) ? { "./add-on": "./dist/add-on.cjs" } : {}),
      "./package.json": "./package.json",
    },
  };
  return Object.entries(wanted)
    .filter(([key, value]) => !isDeepStrictEqual(manifest.raw[key], value))
    .map(([key, value]) => problem(`${path}/package.json`, `"${key}" should be ${JSON.stringify(value)}`));
}

/** npm packs LICENSE and README.md of the package's own folder only. */
function companionProblems({ path }: Package, root: string): Problem[] {
  const license = join(root, path, "LICENSE");
  const text = readFileSync(join(root, "LICENSE"), "utf8");
  return [
    ...(existsSync(license) && readFileSync(license, "utf8") === text
      ? []
      : [problem(`${path}/LICENSE`, "is not a copy of the root's LICENSE")]),
    ...(existsSync(join(root, path, "README.md")) ? [] : [problem(`${path}/README.md`, "is missing")]),
  ];
}

/** Ours by `^` and their version, as `npm pack` needs it (it leaves `workspace:` in), others pinned. */
function rangeProblems({ path, manifest, needs }: Package): Problem[] {
  return Object.entries(needs)
    .filter(([name, range]) =>
      name.startsWith("@uncaged/") ? range !== `^${manifest.version}` : !/^\d+\.\d+\.\d+$/.test(range),
    )
    .map(([name, range]) =>
      problem(`${path}/package.json`, `${name}: "${range}" is neither pinned nor ^${manifest.version}`),
    );
}

/** One version of a dependency in the whole tree. */
function versionConflicts({ packages }: Tree): Problem[] {
  const seen = new Map<string, { readonly range: string; readonly path: string }>();
  return packages.flatMap(({ path, needs }) =>
    Object.entries(needs).flatMap(([name, range]) => {
      const first = seen.get(name);
      if (first === undefined) seen.set(name, { range, path });
      return first === undefined || first.range === range
        ? []
        : [problem(`${path}/package.json`, `${name} ${range} here, ${first.range} in ${first.path}`)];
    }),
  );
}

function problem(file: string, message: string): Problem {
  return { file, line: null, rule: "manifest", message };
}
