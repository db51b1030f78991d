import { type AstNode, BANNED, nodesOf } from "../engine/index.js";

/** The refused functions that an expression names, called or not: an alias is a reference too. */
export function bannedIn(ast: AstNode): readonly string[] {
  const names = [...nodesOf(ast)].filter(({ type }) => type === "variable").map(({ value }) => String(value));
  return BANNED.filter((name) => names.includes(name)).map((name) => `$${name}`);
}

/** Why a decision cannot use `name`, as a sentence. */
export function bannedSentence(name: string): string {
  return name === "$eval"
    ? "$eval is not allowed: an expression stands in the workflow, not in its data"
    : `${name} is not allowed: a decision depends on the history alone, not on time or chance`;
}

export function hasRegex(ast: AstNode): boolean {
  return [...nodesOf(ast)].some(({ type }) => type === "regex");
}
