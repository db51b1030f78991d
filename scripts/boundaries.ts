import { resolve } from "node:path";
import { BUILT_IN, checkBoundaries, EDGES, LAZY, UNSEEN_DEPENDENCIES } from "./boundaries/index.js";
import { report } from "./report.js";
import { readTree } from "./source/index.js";

// bun scripts/boundaries.ts [root]: who imports whom, and who touches the process. The rules stand in boundaries/tables.ts.

const root = resolve(process.argv[2] ?? resolve(import.meta.dirname, ".."));
const tables = {
  builtIn: BUILT_IN,
  edges: EDGES,
  lazy: LAZY,
  unseenDependencies: UNSEEN_DEPENDENCIES,
};
process.exit(report("boundaries", checkBoundaries(readTree(root), tables)));
