import type { Problem, Tree } from "../source/index.js";
import { checkEdges } from "./edges.js";
import { checkModules } from "./modules.js";
import { checkArrows, checkDependencies } from "./packages.js";
import { checkPermissions } from "./permissions.js";
import { survey } from "./survey.js";
import type { Tables } from "./types.js";

/** Every breach of the boundaries in the tree. */
export function checkBoundaries(tree: Tree, tables: Tables): readonly Problem[] {
  const found = survey(tree, tables);
  return [
    ...syntaxErrors(tree),
    ...checkArrows(found),
    ...checkDependencies(found),
    ...checkModules(found),
    ...checkEdges(found),
    ...checkPermissions(found),
  ];
}

function syntaxErrors(tree: Tree): readonly Problem[] {
  return tree.packages.flatMap(({ files }) =>
    files.flatMap(({ path, facts }) =>
      facts.syntaxErrors.map((message) => ({ file: path, line: null, rule: "syntax", message })),
    ),
  );
}
