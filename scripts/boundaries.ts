import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import type { Permission } from "./boundaries-tables.js";
import { ADD_ONS } from "./budgets.js";
import type { Import, Package, Problem, SourceFile, Tree } from "./source.js";

// Who imports whom, and who touches the process. An arrow between packages is a dependency in package.json. A folder below
// src/ is a module: from outside it is imported by its index.ts, which only re-exports; one without files of its own (only
// folders) is just a shelf and has no index.ts.

export type Tables = {
  readonly edges: readonly Permission[];
  readonly builtIn: readonly Permission[];
  readonly unseenDependencies: readonly Permission[];
};

/** One import: of a file of the tree, or of a package with what follows its name. */
type Edge = {
  readonly from: SourceFile;
  readonly owner: Package;
  readonly import: Import;
  readonly file: string | null;
  readonly name: string | null;
  readonly subpath: string;
};

type Graph = Map<string, Set<string>>;

/** Every breach of the boundaries in the tree. */
export function checkBoundaries(tree: Tree, tables: Tables): readonly Problem[] {
  const known = new Set(tree.packages.flatMap(({ files }) => files.map(({ path }) => path)));
  const edges = tree.packages.flatMap((owner) =>
    owner.files.flatMap((from) =>
      from.imports.map((found): Edge => ({ from, owner, import: found, ...resolve(known, from, found) })),
    ),
  );
  const sources = tree.packages.flatMap(({ files }) => files.filter(({ area }) => area === "src"));
  return [
    ...betweenPackages(tree, edges),
    ...tree.packages.flatMap((owner) => ofPackage(tree, tables, owner, edges)),
    ...edges.flatMap((edge) => ofImport(edge, known)),
    ...moduleCycles(edges),
    ...sources
      .filter(({ path }) => posix.basename(path) === "index.ts")
      .flatMap(({ path, ownStatements }) =>
        ownStatements.map((line) => ({
          file: path,
          line,
          rule: "index",
          message: "an index.ts only re-exports",
        })),
      ),
    ...sources.flatMap(({ path, ambient }) =>
      ambient
        .filter(({ name }) => !permits(tables.edges, path, name))
        .map(({ name, line }) => {
          const message = `${name} outside a binary's edge; take it as an argument`;
          return { file: path, line, rule: "edge", message };
        }),
    ),
    ...needless(tree, sources, edges, tables),
    ...addOnWords(tree),
  ];
}

/** What only add-ons know: in the core these words are in the table of add-ons, and `.docx` among the types of files. */
const OF_ADD_ONS = /docx|postgres|pglite|pizzip/i;
const NAMES_ADD_ONS = [
  "packages/cli-workflow/src/line/add-ons.ts",
  "packages/workflow-store/src/stored-file.ts",
];

function addOnWords({ root, packages }: Tree): readonly Problem[] {
  const files = packages.filter(({ folder }) => !ADD_ONS.includes(folder)).flatMap((core) => core.files);
  return files
    .filter(({ path, area }) => area === "src" && !path.endsWith(".made.ts") && !NAMES_ADD_ONS.includes(path))
    .flatMap(({ path }) => {
      const [word = null] = OF_ADD_ONS.exec(readFileSync(join(root, path), "utf8")) ?? [];
      return word === null ? [] : [whole(path, "add-on", `${word} is an add-on's word`)];
    });
}

const builtins = new Set(builtinModules);

/** The file of an import by path, if it is TypeScript or JavaScript of ours, or the package of one by name. */
function resolve(known: ReadonlySet<string>, from: SourceFile, { specifier }: Import) {
  const plain = posix.join(posix.dirname(from.path), specifier);
  const file = [plain, plain.replace(/\.([mc]?)js$/, ".$1ts")].find((path) => known.has(path)) ?? null;
  if (specifier.startsWith(".")) return { file, name: null, subpath: "" };
  if (specifier.startsWith("node:") || builtins.has(specifier))
    return { file: null, name: null, subpath: "" };
  const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  return { file: null, name, subpath: specifier.slice(name.length + 1) };
}

/** What uwf has for its add-ons. Its index.ts is for everybody, and npm installs the types of that alone. */
const FOR_ADD_ONS = "@uncaged/cli-workflow/add-on";

/** No cycle, and nothing past another package's index.ts. */
function betweenPackages({ packages }: Tree, edges: readonly Edge[]): readonly Problem[] {
  const graph: Graph = new Map();
  const problems = edges.flatMap((edge): readonly Problem[] => {
    const other = packages.find(({ manifest }) => manifest.name === edge.name);
    if (other === undefined) return [];
    if (edge.from.area === "src") connect(graph, edge.owner.folder, other.folder);
    const message = `${edge.import.specifier} goes past the index.ts of ${edge.name}`;
    const isOpen = edge.subpath === "" || edge.import.specifier === FOR_ADD_ONS;
    return isOpen ? [] : [at(edge, "deep import", message)];
  });
  const cycles = cyclesOf(graph).map((cycle) =>
    whole(`packages/${cycle[0]}`, "package cycle", [...cycle, cycle[0]].join(" → ")),
  );
  return [...problems, ...cycles];
}

/** Imports and package.json say the same; so do package.json and the references of tsconfig.json, which `tsc --build` follows. */
function ofPackage(tree: Tree, tables: Tables, owner: Package, edges: readonly Edge[]): readonly Problem[] {
  const { path, manifest, needs, references } = owner;
  const own = edges.filter((edge) => edge.owner === owner && edge.name !== null);
  const forTests = { ...manifest.devDependencies, ...tree.manifest.devDependencies };
  const undeclared = own.filter(({ name, from }) => {
    if (name === null || name === manifest.name) return false;
    if (Object.hasOwn(needs, name) || Object.hasOwn(manifest.peerDependencies, name)) return false;
    const mayBe = from.area === "test" || permits(tables.builtIn, from.path, name);
    return !(mayBe && Object.hasOwn(forTests, name));
  });
  const used = new Set(own.filter(({ from }) => from.area === "src").map(({ name }) => name));
  const unused = Object.keys({ ...needs, ...manifest.peerDependencies }).filter(
    (name) => !used.has(name) && !permits(tables.unseenDependencies, `${path}/package.json`, name),
  );
  const wanted = tree.packages
    .filter((one) => Object.hasOwn(needs, one.manifest.name))
    .map(({ folder }) => folder);
  const tsconfig = (message: string): Problem => whole(`${path}/tsconfig.json`, "reference", message);
  return [
    ...undeclared.map((edge) =>
      at(edge, "undeclared dependency", `${edge.name} is not in the dependencies of ${path}/package.json`),
    ),
    ...unused.map((name) =>
      whole(`${path}/package.json`, "unused dependency", `nothing in src imports ${name}`),
    ),
    ...(references === null ? [] : wanted.filter((one) => !references.includes(one))).map((one) =>
      tsconfig(`does not refer to ../${one}`),
    ),
    ...(references ?? [])
      .filter((one) => !wanted.includes(one))
      .map((one) => tsconfig(`refers to ../${one}, which is no dependency`)),
  ];
}

/** An import of a file of the tree: the type check finds one that is not there. */
function ofImport(edge: Edge, known: ReadonlySet<string>): readonly Problem[] {
  const { from, owner, file } = edge;
  const inSource = from.area === "src";
  if (file === null) return [];
  const src = `${owner.path}/src`;
  if (!file.startsWith(`${owner.path}/`)) {
    // A relative path never leaves its package, with one exception: tests share what stands in a test folder.
    const isShared = from.area === "test" && !/^packages\/[^/]+\/src\//.test(file);
    return isShared ? [] : [at(edge, "deep import", `${file} belongs to another package`)];
  }
  // The list of commands names the file of each.
  if (!inSource || from.path.endsWith(".made.ts")) return [];
  if (!file.startsWith(`${src}/`)) return [at(edge, "inner import", `${file} is no part of src`)];
  if (file === `${src}/index.ts`) {
    // The kit's bundle is its package and a little more; an import of json-cas is its package, started.
    const mayImport = from.path === `${src}/kit.ts` || from.path === `${src}/library.ts`;
    return mayImport ? [] : [at(edge, "inner import", "a package does not import its own index.ts")];
  }
  const names = file
    .slice(src.length + 1)
    .split("/")
    .slice(0, -1);
  const folders = names.map((_, index) => `${src}/${names.slice(0, index + 1).join("/")}`);
  const hasFiles = (folder: string): boolean => [...known].some((path) => posix.dirname(path) === folder);
  const closed = folders.find(
    (folder) => !from.path.startsWith(`${folder}/`) && file !== `${folder}/index.ts` && hasFiles(folder),
  );
  if (closed === undefined) return [];
  return [at(edge, "inner import", `${file} is an inner file; import ${closed}/index.ts`)];
}

/**
 * Inside every folder its files and sub-folders form a graph; an import counts in the innermost folder that holds both ends. So
 * `index.ts` re-exporting a sub-folder that reads `../types.ts` is no cycle. Types count between modules; between two files
 * of one folder they are gone before anything runs.
 */
function moduleCycles(edges: readonly Edge[]): readonly Problem[] {
  const byFolder = new Map<string, Graph>();
  for (const { from, file, import: found } of edges) {
    if (from.area !== "src" || file === null) continue;
    const [left, right] = [from.path.split("/"), file.split("/")];
    const differ = left.findIndex((part, index) => part !== right[index]);
    const [a = "", b = "", folder] = [left[differ], right[differ], left.slice(0, differ).join("/")];
    if (found.isType && a.endsWith(".ts") && b.endsWith(".ts")) continue;
    const graph: Graph = byFolder.get(folder) ?? new Map();
    byFolder.set(folder, graph);
    connect(graph, a, b);
  }
  return [...byFolder].flatMap(([folder, graph]) =>
    cyclesOf(graph).map((cycle) => whole(folder, "module cycle", [...cycle, cycle[0]].join(" → "))),
  );
}

function connect(graph: Graph, from: string, to: string): void {
  graph.set(from, (graph.get(from) ?? new Set()).add(to));
}

/** Cycles of a graph, starting at their smallest nodes. Not all of them: one per group that hangs together. */
function cyclesOf(graph: Graph): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (const start of [...graph.keys()].sort()) {
    if (found.some((cycle) => cycle.includes(start))) continue;
    // Breadth first from `start` until it is met again.
    const ways: (readonly string[])[] = [[start]];
    const seen = new Set<string>();
    for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
      const next = [...(graph.get(way.at(-1) ?? "") ?? [])];
      if (next.includes(start)) {
        found.push(way);
        break;
      }
      for (const node of next.filter((each) => !seen.has(each))) {
        seen.add(node);
        ways.push([...way, node]);
      }
    }
  }
  return found;
}

/** An exception that nothing needs any more is an open door: every entry of the tables must be in use. */
function needless(
  tree: Tree,
  sources: readonly SourceFile[],
  edges: readonly Edge[],
  tables: Tables,
): readonly Problem[] {
  // An add-on may be left out of the tree.
  const isHere = ({ where }: Permission): boolean =>
    tree.packages.some(({ folder }) => [folder, "*"].includes(where.split("/")[1] ?? ""));
  const idle = (entries: readonly Permission[], usesOf: (file: SourceFile) => readonly (string | null)[]) =>
    entries.filter(isHere).flatMap(({ where, uses }) => {
      const used = new Set(sources.filter(({ path }) => covers(where, path)).flatMap(usesOf));
      const idleUses = uses.filter((use) => (use === "*" ? used.size === 0 : !used.has(use)));
      const message = (use: string): string => `nothing in ${where} uses ${use}; take the entry out`;
      return idleUses.map((use) => whole("scripts/boundaries-tables.ts", "permission", message(use)));
    });
  return [
    ...idle(tables.edges, ({ ambient }) => ambient.map(({ name }) => name)),
    ...idle(tables.builtIn, (file) => edges.filter(({ from }) => from === file).map(({ name }) => name)),
  ];
}

/** Does one of the entries let this file use this name? `*` in a path stands for one folder's name. */
function permits(entries: readonly Permission[], path: string, use: string): boolean {
  return entries.some(({ where, uses }) => covers(where, path) && (uses.includes("*") || uses.includes(use)));
}

function covers(where: string, path: string): boolean {
  const pattern = where.split("/");
  const parts = path.split("/");
  const isFolder = pattern.at(-1) === "";
  const wanted = isFolder ? pattern.slice(0, -1) : pattern;
  if (isFolder ? parts.length <= wanted.length : parts.length !== wanted.length) return false;
  return wanted.every((part, index) => part === "*" || part === parts[index]);
}

function at({ from, import: { line } }: Edge, rule: string, message: string): Problem {
  return { file: from.path, line, rule, message };
}

function whole(file: string, rule: string, message: string): Problem {
  return { file, line: null, rule, message };
}
