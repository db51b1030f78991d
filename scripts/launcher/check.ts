import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Problem, Tree } from "../source/index.js";
import { BIN_PACKAGE, launcherText } from "./template.js";

export type Launcher = { readonly name: string; readonly path: string; readonly entry: string };

/** The launchers that the tree should have: one per src/bin/<name>.ts and per `bin` of a package.json. */
export function launchersOf(tree: Tree): readonly Launcher[] {
  return tree.packages.flatMap(({ path, manifest, files }) => {
    const entries = files
      .map((file) => file.path)
      .filter((file) => file.startsWith(`${path}/src/bin/`))
      .map((file) => file.slice(`${path}/src/bin/`.length, -".ts".length));
    return [...new Set([...Object.keys(manifest.bin), ...entries])]
      .filter((name) => !name.includes("/"))
      .map((name) => ({ name, path: `${path}/bin/${name}`, entry: `${path}/src/bin/${name}.ts` }));
  });
}

/** package.json's `bin`, bin/<name> and src/bin/<name>.ts belong together; every launcher is the template. */
export function checkLaunchers(tree: Tree): readonly Problem[] {
  return [...launchersOf(tree).flatMap((launcher) => checkOne(tree, launcher)), ...strays(tree)];
}

function checkOne(tree: Tree, { name, path, entry }: Launcher): Problem[] {
  const owner = tree.packages.find((one) => path.startsWith(`${one.path}/`));
  const problem = (file: string, message: string): Problem => ({
    file,
    line: null,
    rule: "launcher",
    message,
  });
  const found: Problem[] = [];
  if (owner?.manifest.bin[name] !== `./bin/${name}`) {
    found.push(problem(`${owner?.path}/package.json`, `bin does not say "${name}": "./bin/${name}"`));
  }
  if (!existsSync(join(tree.root, entry)))
    found.push(problem(entry, `is missing, though bin/${name} starts it`));
  const file = join(tree.root, path);
  if (!existsSync(file)) return [...found, problem(path, "is missing; bun run launchers writes it")];
  if (readFileSync(file, "utf8") !== launcherText(name)) {
    found.push(problem(path, "differs from the template; bun run launchers writes it"));
  }
  if (readOrNull(join(file, "../package.json")) !== BIN_PACKAGE) {
    found.push(
      problem(path, "has no bin/package.json beside it as it should be; bun run launchers writes it"),
    );
  }
  if ((statSync(file).mode & 0o111) !== 0o111) found.push(problem(path, "is not executable"));
  return found;
}

/** Files in a bin folder that nobody declares. */
function strays(tree: Tree): Problem[] {
  const wanted = new Set(launchersOf(tree).map(({ path }) => path));
  return tree.packages
    .flatMap(({ path }) => {
      const dir = join(tree.root, path, "bin");
      return existsSync(dir) ? readdirSync(dir).map((name) => `${path}/bin/${name}`) : [];
    })
    .filter((path) => !wanted.has(path) && basename(path) !== "package.json")
    .map((file) => ({ file, line: null, rule: "launcher", message: "no package.json declares it" }));
}

function readOrNull(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
