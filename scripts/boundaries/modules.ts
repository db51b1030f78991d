import { posix } from "node:path";
import type { Problem } from "../source/index.js";
import { addEdge, findCycles } from "./cycles.js";
import { permits } from "./permission.js";
import type { Edge, Survey } from "./types.js";

// A folder below src/ is a module: from outside it is imported by its index.ts, which only re-exports.
// A folder without files of its own (only folders) is just a shelf and has no index.ts.

type FileEdge = Edge & { readonly target: { readonly kind: "file"; readonly path: string } };

export function checkModules({ tree, tables, edges }: Survey): readonly Problem[] {
  const inside = edges.filter(leadsToFile);
  const withFiles = new Set(
    tree.packages.flatMap(({ files }) => files.map(({ path }) => posix.dirname(path))),
  );
  return [
    ...edges.filter(({ target }) => target.kind === "file" && target.path === null).map(unresolved),
    ...inside.flatMap((edge) => crossing(edge)),
    ...inside
      .filter(
        ({ from, import: found }) => from.area === "src" && !mayReachIn(tables.lazy, from.path, found.kind),
      )
      .flatMap((edge) => innerFile(edge, withFiles)),
    ...lazyImports(edges, tables.lazy),
    ...moduleCycles(inside),
    ...indexStatements(tree.packages.flatMap(({ files }) => files)),
  ];
}

function mayReachIn(lazy: Survey["tables"]["lazy"], path: string, kind: Edge["import"]["kind"]): boolean {
  return kind === "dynamic" && permits(lazy, path, "*");
}

function leadsToFile(edge: Edge): edge is FileEdge {
  return edge.target.kind === "file" && edge.target.path !== null;
}

function unresolved(edge: Edge): Problem {
  return problemAt(edge, "unresolved import", `there is no file ${edge.import.specifier}`);
}

/** A relative path never leaves its package, with one exception: tests share what stands in a test folder. */
function crossing(edge: FileEdge): Problem[] {
  const { from, owner, target } = edge;
  if (target.path.startsWith(`${owner.path}/`)) {
    const productUsesTest = from.area === "src" && !target.path.startsWith(`${owner.path}/src/`);
    return productUsesTest ? [problemAt(edge, "inner import", `${target.path} is no part of src`)] : [];
  }
  const sharedTest = from.area === "test" && /^packages\/[^/]+\/src\//.test(target.path) === false;
  return sharedTest ? [] : [problemAt(edge, "deep import", `${target.path} belongs to another package`)];
}

/** From outside a folder only its index.ts may be imported. */
function innerFile(edge: FileEdge, withFiles: ReadonlySet<string>): Problem[] {
  const { from, owner, target } = edge;
  const src = `${owner.path}/src`;
  if (!target.path.startsWith(`${src}/`)) return [];
  if (target.path === `${src}/index.ts`) {
    // The kit's bundle is its package and a little more; an import of json-cas is its package, started.
    if (from.path === `${src}/kit.ts` || from.path === `${src}/library.ts`) return [];
    return [problemAt(edge, "inner import", "a package does not import its own index.ts")];
  }
  const broken = foldersAbove(target.path, src).find(
    (folder) =>
      !from.path.startsWith(`${folder}/`) && withFiles.has(folder) && target.path !== `${folder}/index.ts`,
  );
  return broken === undefined
    ? []
    : [problemAt(edge, "inner import", `${target.path} is an inner file; import ${broken}/index.ts`)];
}

/** The folders between `src` (not included) and the file, outermost first. */
function foldersAbove(path: string, src: string): readonly string[] {
  const parts = path
    .slice(src.length + 1)
    .split("/")
    .slice(0, -1);
  return parts.map((_, index) => `${src}/${parts.slice(0, index + 1).join("/")}`);
}

function lazyImports(edges: readonly Edge[], lazy: Survey["tables"]["lazy"]): Problem[] {
  return edges
    .filter(({ from, import: found }) => from.area === "src" && found.kind === "dynamic")
    .filter(({ from, import: found }) => !permits(lazy, from.path, found.specifier))
    .map((edge) =>
      problemAt(edge, "lazy import", `import("${edge.import.specifier}") outside the documented places`),
    );
}

/**
 * Inside every folder its files and sub-folders form a graph; an import counts in the innermost folder that
 * holds both ends. So `index.ts` re-exporting a sub-folder that reads `../types.ts` is no cycle.
 * Types count between modules; between two files of one folder they are gone before anything runs.
 */
function moduleCycles(edges: readonly FileEdge[]): Problem[] {
  const byFolder = new Map<string, Map<string, Set<string>>>();
  for (const { from, target, import: found } of edges) {
    const { folder, a, b } = meeting(from.path, target.path);
    const onlyTypes = found.kind === "type" && a.endsWith(".ts") && b.endsWith(".ts");
    if (from.area !== "src" || onlyTypes) continue;
    const graph = byFolder.get(folder) ?? new Map<string, Set<string>>();
    byFolder.set(folder, graph);
    addEdge(graph, a, b);
  }
  return [...byFolder].flatMap(([folder, graph]) =>
    findCycles(graph).map((cycle) => ({
      file: folder,
      line: null,
      rule: "module cycle",
      message: [...cycle, cycle[0]].join(" → "),
    })),
  );
}

function meeting(from: string, to: string): { folder: string; a: string; b: string } {
  const left = from.split("/");
  const right = to.split("/");
  const differ = left.findIndex((part, index) => part !== right[index]);
  return {
    folder: left.slice(0, differ).join("/"),
    a: left[differ] ?? "",
    b: right[differ] ?? "",
  };
}

function indexStatements(files: Survey["tree"]["packages"][number]["files"]): Problem[] {
  return files
    .filter(({ path, area }) => area === "src" && posix.basename(path) === "index.ts")
    .flatMap(({ path, facts }) =>
      facts.ownStatements.map((line) => ({
        file: path,
        line,
        rule: "index",
        message: "an index.ts only re-exports",
      })),
    );
}

function problemAt(edge: Edge, rule: string, message: string): Problem {
  return { file: edge.from.path, line: edge.import.line, rule, message };
}
