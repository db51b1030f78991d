import type { Problem, SourceFile } from "../source/index.js";
import { covers } from "./permission.js";
import type { Permission } from "./tables.js";
import type { Survey } from "./types.js";

/** An exception that nothing needs any more is an open door: every entry of the tables must be in use. */
export function checkPermissions({ tree, tables, edges }: Survey): readonly Problem[] {
  const files = tree.packages.flatMap((owner) => owner.files.filter(({ area }) => area === "src"));
  const ambient = (file: SourceFile) => file.facts.ambient.map(({ name }) => name);
  const lazy = (file: SourceFile) =>
    file.facts.imports.filter(({ kind }) => kind === "dynamic").map(({ specifier }) => specifier);
  const imported = (file: SourceFile) =>
    edges.flatMap(({ from, target }) => (from === file && target.kind === "package" ? [target.name] : []));
  return [
    ...tables.edges.flatMap((entry) => idle(entry, files, ambient)),
    ...tables.lazy.flatMap((entry) => idle(entry, files, lazy)),
    ...tables.builtIn.flatMap((entry) => idle(entry, files, imported)),
  ];
}

function idle(
  { where, uses }: Permission,
  files: readonly SourceFile[],
  usesOf: (file: SourceFile) => readonly string[],
): Problem[] {
  const covered = files.filter(({ path }) => covers(where, path));
  const used = new Set(covered.flatMap(usesOf));
  const needless = uses.filter((use) => (use === "*" ? used.size === 0 : !used.has(use)));
  return needless.map((use) => ({
    file: "scripts/boundaries/tables.ts",
    line: null,
    rule: "permission",
    message: `nothing in ${where} uses ${use}; take the entry out`,
  }));
}
