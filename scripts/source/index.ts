export { type AstNode, isNode, literalText } from "./ast.js";
export { parseFacts } from "./facts.js";
export { formatProblems, sortProblems } from "./problem.js";
export { PROGRAM, readTree } from "./tree.js";
export type {
  Ambient,
  Facts,
  Import,
  LogCall,
  Manifest,
  Package,
  Problem,
  SourceFile,
  Tree,
} from "./types.js";
