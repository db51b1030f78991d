import type { Package, Problem } from "../source/index.js";
import { addEdge, findCycles } from "./cycles.js";
import { permits } from "./permission.js";
import type { Edge, Survey } from "./types.js";

/** Between packages: no cycle, and nothing past another package's index.ts. An arrow is a dependency in package.json. */
export function checkArrows({ tree, edges }: Survey): readonly Problem[] {
  const byName = new Map(tree.packages.map((one) => [one.manifest.name, one]));
  const graph = new Map<string, Set<string>>();
  const problems = edges.flatMap((edge): Problem[] => {
    if (edge.target.kind !== "package") return [];
    const other = byName.get(edge.target.name);
    if (other === undefined) return [];
    if (edge.from.area === "src") addEdge(graph, edge.owner.folder, other.folder);
    const { specifier } = edge.import;
    const message = `${specifier} goes past the index.ts of ${other.manifest.name}`;
    return edge.target.subpath === "" ? [] : [at(edge, "deep import", message)];
  });
  return [...problems, ...packageCycles(graph)];
}

function packageCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): Problem[] {
  return findCycles(graph).map((cycle) => ({
    file: `packages/${cycle[0]}`,
    line: null,
    rule: "package cycle",
    message: [...cycle, cycle[0]].join(" → "),
  }));
}

/** Imports and package.json say the same; so do package.json and the references of tsconfig.json. */
export function checkDependencies({ tree, tables, edges }: Survey): readonly Problem[] {
  return tree.packages.flatMap((owner) => {
    const own = edges.filter((edge) => edge.owner === owner);
    return [
      ...undeclared(owner, own, { tree, tables }),
      ...unused(owner, own)
        .filter(({ name }) => !permits(tables.unseenDependencies, `${owner.path}/package.json`, name))
        .map(({ problem }) => problem),
      ...referenceProblems(owner, tree.packages),
    ];
  });
}

function undeclared(
  owner: Package,
  edges: readonly Edge[],
  { tree, tables }: Pick<Survey, "tree" | "tables">,
): Problem[] {
  const rootDev = tree.manifest.devDependencies;
  return edges.flatMap((edge) => {
    if (edge.target.kind !== "package" || edge.target.name === owner.manifest.name) return [];
    const { name } = edge.target;
    if (Object.hasOwn(owner.needs, name) || Object.hasOwn(owner.manifest.peerDependencies, name)) return [];
    const forTests = Object.hasOwn(owner.manifest.devDependencies, name) || Object.hasOwn(rootDev, name);
    const isBuiltIn = forTests && permits(tables.builtIn, edge.from.path, name);
    if (isBuiltIn || (edge.from.area === "test" && forTests)) return [];
    return [
      at(edge, "undeclared dependency", `${name} is not in the dependencies of ${owner.path}/package.json`),
    ];
  });
}

function unused(
  owner: Package,
  edges: readonly Edge[],
): { readonly name: string; readonly problem: Problem }[] {
  const used = new Set(
    edges.flatMap(({ from, target }) =>
      from.area === "src" && target.kind === "package" ? [target.name] : [],
    ),
  );
  return Object.keys({ ...owner.needs, ...owner.manifest.peerDependencies })
    .filter((name) => !used.has(name))
    .map((name) => ({
      name,
      problem: {
        file: `${owner.path}/package.json`,
        line: null,
        rule: "unused dependency",
        message: `nothing in src imports ${name}`,
      },
    }));
}

/** `tsc --build` follows the references: a missing one builds against stale declarations. */
function referenceProblems(owner: Package, packages: readonly Package[]): Problem[] {
  if (owner.references === null) return [];
  const declared = packages.filter(({ manifest }) => Object.hasOwn(owner.needs, manifest.name));
  const wanted = new Set(declared.map(({ folder }) => folder));
  const problem = (message: string): Problem => ({
    file: `${owner.path}/tsconfig.json`,
    line: null,
    rule: "reference",
    message,
  });
  return [
    ...[...wanted]
      .filter((one) => !owner.references?.includes(one))
      .map((one) => problem(`does not refer to ../${one}`)),
    ...owner.references
      .filter((one) => !wanted.has(one))
      .map((one) => problem(`refers to ../${one}, which is no dependency`)),
  ];
}

function at(edge: Edge, rule: string, message: string): Problem {
  return { file: edge.from.path, line: edge.import.line, rule, message };
}
