import { existsSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import type { SourceFile, Tree } from "../source/index.js";
import type { Edge, Survey, Tables, Target } from "./types.js";

const builtins = new Set(builtinModules);

/** Resolves every import of the tree once, for all rules. */
export function survey(tree: Tree, tables: Tables): Survey {
  const known = new Set(tree.packages.flatMap((owner) => owner.files.map(({ path }) => path)));
  const edges = tree.packages.flatMap((owner) =>
    owner.files.flatMap((from) =>
      from.facts.imports.map(
        (found): Edge => ({
          from,
          owner,
          import: found,
          target: resolveTarget(tree.root, known, from, found.specifier),
        }),
      ),
    ),
  );
  return { tree, tables, edges };
}

function resolveTarget(
  root: string,
  known: ReadonlySet<string>,
  from: SourceFile,
  specifier: string,
): Target {
  if (specifier === "(computed)") return { kind: "computed" };
  if (specifier.startsWith(".")) {
    const plain = posix.join(posix.dirname(from.path), specifier);
    const candidates = [plain, plain.replace(/\.([mc]?)js$/, ".$1ts")];
    const path = candidates.find((candidate) => known.has(candidate) || isData(root, candidate));
    return { kind: "file", path: path ?? null };
  }
  if (specifier.startsWith("node:") || builtins.has(specifier)) return { kind: "builtin" };
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  return { kind: "package", name, subpath: specifier.slice(name.length + 1) };
}

/** A file that is no TypeScript of ours, e.g. a JSON or a fixture. */
function isData(root: string, path: string): boolean {
  return !path.endsWith(".ts") && existsSync(join(root, path));
}
