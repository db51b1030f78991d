import type { AstNode, Compiled } from "../engine/index.js";

export type Expression = { readonly compiled: Compiled; readonly ast: AstNode };
