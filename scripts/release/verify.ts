import { existsSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { bundlesOf, listFiles } from "./built.js";
import { type Manifest, type Member, readManifest } from "./workspace.js";

/**
 * What is wrong with an unpacked package, as sentences: this is what people would install. `dir` holds the package.json of the
 * tarball, `members` are all that are published together.
 */
export function verifyPackage(dir: string, member: Member, members: readonly Member[]): readonly string[] {
  const manifest = readManifest(join(dir, "package.json"));
  const files = listFiles(dir);
  return [
    ...rangeProblems(manifest, members),
    ...binProblems(dir, manifest),
    ...bundleProblems(dir, manifest),
    ...exportProblems(dir, manifest),
    ...importProblems(dir, manifest, files),
    ...companionProblems(files),
    ...strayProblems(files, member),
  ].map((problem) => `${manifest.name}: ${problem}`);
}

function rangeProblems(manifest: Manifest, members: readonly Member[]): readonly string[] {
  const versions = new Map(members.map((one) => [one.manifest.name, one.manifest.version]));
  const groups = [manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies];
  return groups.flatMap((group) =>
    Object.entries(group ?? {}).flatMap(([name, range]) => {
      if (range.startsWith("workspace:")) return [`${name} is still "${range}"`];
      const version = versions.get(name);
      return version === undefined || range === `^${version}`
        ? []
        : [`${name} is "${range}", not "^${version}"`];
    }),
  );
}

function binProblems(dir: string, manifest: Manifest): readonly string[] {
  return Object.values(manifest.bin ?? {}).flatMap((target) => {
    const launcher = join(dir, target);
    if (!existsSync(launcher)) return [`the bin ${target} is missing`];
    const problems: string[] = [];
    if ((statSync(launcher).mode & 0o111) !== 0o111) problems.push(`the bin ${target} is not executable`);
    if (!readFileSync(launcher, "utf8").startsWith("#!/bin/sh\n"))
      problems.push(`the bin ${target} is no launcher`);
    return problems;
  });
}

/** How the bundles of build:bins begin; bun takes the second for CommonJS, if it says so with bytecode beside it. */
const BANNERS = {
  bin: /^\/\/ uwf: made by build:bins\n/,
  bun: /^(?:#!.*\n)?\/\/ @bun (?:@bytecode )?@bun-cjs\n/,
};

function bundleProblems(dir: string, manifest: Manifest): readonly string[] {
  const lazy = listFiles(join(dir, "dist/bun")).filter((name) => name.endsWith(".js"));
  const bundles = [
    ...bundlesOf(manifest),
    ...lazy.flatMap((name) => [
      `dist/bun/${name}`,
      ...(hasBytecode(dir, name) ? [`dist/bun/${name}.jsc`] : []),
    ]),
  ];
  const saying = bundles.length === 0 ? [] : ["dist/bin/package.json", "dist/bin/THIRD-PARTY-LICENSES.txt"];
  const unsaid = saying.filter((file) => !existsSync(join(dir, file))).map((file) => `${file} is missing`);
  const wrong = [...new Set(bundles)].flatMap((bundle) => {
    const file = join(dir, bundle);
    if (!existsSync(file)) return [`${bundle} is missing`];
    if (bundle.endsWith(".jsc")) return statSync(file).size > 0 ? [] : [`${bundle} is empty`];
    const banner = bundle.startsWith("dist/bun/") ? BANNERS.bun : BANNERS.bin;
    return banner.test(readFileSync(file, "utf8")) ? [] : [`${bundle} is no bundle of build:bins`];
  });
  return [...unsaid, ...wrong];
}

/** Whether a bundle says that its bytecode stands beside it. */
function hasBytecode(dir: string, name: string): boolean {
  return readFileSync(join(dir, "dist/bun", name), "utf8")
    .slice(0, 200)
    .includes("// @bun @bytecode ");
}

/** Every file that `exports` promises; `uwf-source` is for this repository only, and so is what has types and nothing to load. */
function exportProblems(dir: string, manifest: Manifest): readonly string[] {
  return Object.values(manifest.exports ?? {})
    .filter((target) => typeof target === "string" || "default" in target)
    .flatMap((target) => (typeof target === "string" ? [["default", target]] : Object.entries(target)))
    .filter(([condition, target]) => condition !== "uwf-source" && !existsSync(join(dir, target ?? "")))
    .map(([, target]) => `exports names ${target}, which is missing`);
}

const IMPORTS =
  /^(?:import|export)\b[^"']*?\bfrom "([^".][^"]*)";$|^import "([^".][^"]*)";$|\bimport\("([^".][^"]*)"\)/gm;

/** What the library imports and nobody installs: what is built into it must not be imported any more. */
function importProblems(dir: string, manifest: Manifest, files: readonly string[]): readonly string[] {
  const installed = new Set([
    manifest.name,
    ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  ]);
  const library = files.filter((file) => /^dist\/(?!bin\/|bun\/).*\.js$/.test(file));
  return library.flatMap((file) => {
    const found = [...readFileSync(join(dir, file), "utf8").matchAll(IMPORTS)];
    const names = found.map(([, from, bare, lazy]) => packageOf(from ?? bare ?? lazy ?? ""));
    return [...new Set(names)]
      .filter((name) => !isBuiltin(name) && !installed.has(name))
      .map(
        (name) => `${file} imports ${name}, which is not in the dependencies; run \`bun run build\` again`,
      );
  });
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function companionProblems(files: readonly string[]): readonly string[] {
  return ["LICENSE", "README.md"].filter((file) => !files.includes(file)).map((file) => `${file} is missing`);
}

/** Files that nobody should get: build state, tests, and what `tsc --build` left behind of deleted sources. */
function strayProblems(files: readonly string[], member: Member): readonly string[] {
  return files.flatMap((file) => {
    if (/(^|\/)(test|fixtures)\/|\.tsbuildinfo$|(^|\/)\.env/.test(file))
      return [`${file} has no place in it`];
    const [, source] = /^dist\/(?!bin\/|bun\/)(.+)\.js$/.exec(file) ?? [];
    return source === undefined ||
      [".ts", ".js"].some((end) => existsSync(join(member.dir, "src", source + end)))
      ? []
      : [`${file} has no source any more; delete dist and build again`];
  });
}
