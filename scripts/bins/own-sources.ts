import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { type AstNode, isNode, literalText } from "../source/index.js";
import type { BunPlugin } from "./bun-api.js";
import { requireSiblings } from "./siblings.js";

// The sources import a folder or a package by its index, which names everything in it. A bundle that follows them
// evaluates all of that at the start of every process, or, where somebody imports the index lazily, when the first
// name of it is needed. So in the bundles an import leads straight to the module that has what is imported.

/** The module that declares an exported name, and what it is called there. */
type Origin = { readonly file: string; readonly name: string };

type Exports = ReadonlyMap<string, Origin>;

/**
 * Rewrites `import { a } from "./folder/index.js"` and `from "@uncaged/x"` of our own sources to the module of `a`, and
 * lazy imports of what has a file of its own to `require`.
 */
export function ownSources(packages: string, isSibling: (specifier: string) => boolean): BunPlugin {
  const known = new Map<string, Exports>();
  return {
    name: "own-sources",
    setup: ({ onLoad }) =>
      onLoad({ filter: /^(?!.*\/node_modules\/).*\.[tj]s$/ }, ({ path }) => ({
        loader: "ts",
        contents: requireSiblings(rewrite(path, readFileSync(path, "utf8"), packages, known), isSibling),
      })),
  };
}

function rewrite(path: string, text: string, packages: string, known: Map<string, Exports>): string {
  let [written, position] = ["", 0];
  for (const node of bodyOf(path, text)) {
    const direct = node.type === "ImportDeclaration" ? directImport(node, path, packages, known) : null;
    if (direct === null) continue;
    written += text.slice(position, node.start) + direct;
    position = Number(node.end);
  }
  return written + text.slice(position);
}

/** `null` for an import that stays as it is: of no index, of types, or of everything as one object. */
function directImport(
  node: AstNode,
  path: string,
  packages: string,
  known: Map<string, Exports>,
): string | null {
  const target = node.importKind === "type" ? null : fileOf(literalText(node.source), path, packages);
  const specifiers = node.specifiers as readonly AstNode[];
  if (target === null || !isIndex(target)) return null;
  if (specifiers.length === 0 || specifiers.some(({ type }) => type !== "ImportSpecifier")) return null;
  return specifiers
    .filter(({ importKind }) => importKind !== "type")
    .map(({ imported, local }) => {
      const { file, name } = originOf(target, nameOf(imported), packages, known);
      return `import { ${name} as ${nameOf(local)} } from ${JSON.stringify(file)};`;
    })
    .join(" ");
}

function originOf(file: string, name: string, packages: string, known: Map<string, Exports>): Origin {
  const found = isIndex(file) ? exportsOf(file, packages, known).get(name) : undefined;
  return found ?? { file, name };
}

/** What a module exports, each name with the module that declares it. Types that are marked as such are left out. */
function exportsOf(file: string, packages: string, known: Map<string, Exports>): Exports {
  const have = known.get(file);
  if (have !== undefined) return have;
  const found = new Map<string, Origin>();
  known.set(file, found);
  for (const node of bodyOf(file, readFileSync(file, "utf8"))) {
    if (node.exportKind === "type") continue;
    const target = fileOf(literalText(node.source), file, packages);
    if (node.type === "ExportAllDeclaration" && target !== null) {
      for (const [name, origin] of exportsOf(target, packages, known)) found.set(name, origin);
    } else if (node.type === "ExportNamedDeclaration") {
      for (const [name, local] of namesOf(node)) {
        found.set(name, target === null ? { file, name } : originOf(target, local, packages, known));
      }
    }
  }
  return found;
}

/** Pairs of exported name and name in the module it comes from. */
function namesOf({ declaration, specifiers }: AstNode): readonly (readonly [string, string])[] {
  if (!isNode(declaration)) {
    return (specifiers as readonly AstNode[])
      .filter(({ exportKind }) => exportKind !== "type")
      .map(({ exported, local }) => [nameOf(exported), nameOf(local)] as const);
  }
  const declared = (declaration.declarations as readonly AstNode[] | undefined) ?? [declaration];
  return declared.filter(({ id }) => isNode(id)).map(({ id }) => [nameOf(id), nameOf(id)] as const);
}

function nameOf(node: unknown): string {
  return isNode(node) ? String(node.name) : "";
}

/** The source file of a specifier; `null` for what is none of ours. */
function fileOf(specifier: string | null, from: string, packages: string): string | null {
  const member = /^@uncaged\/([^/]+)$/.exec(specifier ?? "")?.[1];
  const file = member === undefined ? besides(specifier, from) : join(packages, member, "src/index.ts");
  return file !== null && existsSync(file) ? file : null;
}

function besides(specifier: string | null, from: string): string | null {
  if (specifier === null || !specifier.startsWith(".")) return null;
  return join(dirname(from), specifier.replace(/\.js$/, ".ts"));
}

function isIndex(file: string): boolean {
  return file.endsWith("/index.ts");
}

function bodyOf(path: string, text: string): readonly AstNode[] {
  const { program } = parseSync(path, text, { sourceType: "module", lang: "ts" });
  return program.body as unknown as readonly AstNode[];
}
