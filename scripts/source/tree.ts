import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseFacts } from "./facts.js";
import type { Manifest, Package, SourceFile, Tree } from "./types.js";

/** The package that nobody builds on: npm installs its bundles, which have everything in them, and nothing else. */
export const PROGRAM = "cli-workflow";

/** Reads every package that is published, with the facts of its sources and tests. */
export function readTree(root: string): Tree {
  const packages = readdirSync(join(root, "packages"))
    .sort()
    .filter((folder) => existsSync(join(root, "packages", folder, "package.json")))
    .map((folder) => readPackage(root, folder))
    .filter(({ manifest }) => !manifest.private);
  return { root: resolve(root), manifest: readManifest(join(root, "package.json")), packages };
}

function readPackage(root: string, folder: string): Package {
  const path = `packages/${folder}`;
  const manifest = readManifest(join(root, path, "package.json"));
  const { dependencies, devDependencies } = manifest;
  return {
    folder,
    path,
    manifest,
    needs: folder === PROGRAM ? { ...dependencies, ...devDependencies } : dependencies,
    references: readReferences(join(root, path, "tsconfig.json")),
    files: (["src", "test"] as const).flatMap((area) =>
      listSources(root, `${path}/${area}`).map((file) => readSource(root, file, area)),
    ),
  };
}

function readManifest(file: string): Manifest {
  const raw = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;
  const found = raw as Partial<Manifest>;
  return {
    name: found.name ?? "",
    version: found.version ?? "",
    private: found.private ?? false,
    bin: found.bin ?? {},
    dependencies: found.dependencies ?? {},
    devDependencies: found.devDependencies ?? {},
    peerDependencies: found.peerDependencies ?? {},
    raw,
  };
}

function readReferences(file: string): readonly string[] | null {
  if (!existsSync(file)) return null;
  type Config = { readonly references: readonly { readonly path: string }[] | undefined };
  const { references } = JSON.parse(readFileSync(file, "utf8")) as Config;
  return (references ?? []).map(({ path }) => basename(path));
}

function readSource(root: string, path: string, area: SourceFile["area"]): SourceFile {
  return { path, area, facts: parseFacts(path, readFileSync(join(root, path), "utf8")) };
}

/** All TypeScript and JavaScript files below a folder, sorted; fixtures are data and not read. */
function listSources(root: string, dir: string): readonly string[] {
  if (!existsSync(join(root, dir))) return [];
  return readdirSync(join(root, dir), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${dir}/${entry.name}`;
      if (entry.isDirectory()) {
        return entry.name === "fixtures" || entry.name === "node_modules" ? [] : listSources(root, path);
      }
      return /\.[mc]?[jt]s$/.test(entry.name) ? [path] : [];
    });
}
