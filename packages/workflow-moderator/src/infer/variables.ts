import { type AstNode, BANNED, nodesOf } from "../engine/index.js";

/** The functions of jsonata 2.2; a test asks jsonata itself for each. */
export const JSONATA_FUNCTIONS: readonly string[] = [
  ...[
    "abs",
    "append",
    "assert",
    "average",
    "base64decode",
    "base64encode",
    "boolean",
    "ceil",
    "clone",
    "contains",
  ],
  ...[
    "count",
    "decodeUrl",
    "decodeUrlComponent",
    "distinct",
    "each",
    "encodeUrl",
    "encodeUrlComponent",
    "error",
  ],
  ...[
    "exists",
    "filter",
    "floor",
    "formatBase",
    "formatInteger",
    "formatNumber",
    "fromMillis",
    "join",
    "keys",
  ],
  ...[
    "length",
    "lookup",
    "lowercase",
    "map",
    "match",
    "max",
    "merge",
    "min",
    "not",
    "number",
    "pad",
    "parseInteger",
  ],
  ...["power", "reduce", "replace", "reverse", "round", "sift", "single", "sort", "split", "spread", "sqrt"],
  ...[
    "string",
    "substring",
    "substringAfter",
    "substringBefore",
    "sum",
    "toMillis",
    "trim",
    "type",
    "uppercase",
    "zip",
  ],
];

export type UnknownVariable = { readonly name: string; readonly known: readonly string[] };

/** Variables that are nowhere bound: a misspelt function, mostly. Banned ones are told elsewhere. */
export function unknownVariables(ast: AstNode): readonly UnknownVariable[] {
  const nodes = [...nodesOf(ast)];
  const bound = nodes.flatMap(namesBoundBy);
  const known = new Set(["", "$", ...JSONATA_FUNCTIONS, ...BANNED, ...bound]);
  const used = nodes.filter(({ type }) => type === "variable").map(({ value }) => String(value));
  const candidates = [...JSONATA_FUNCTIONS, ...bound];
  return [...new Set(used)].filter((name) => !known.has(name)).map((name) => ({ name, known: candidates }));
}

/** `$x := …`, `function($x)`, `@$x`, `#$x`. */
function namesBoundBy(node: AstNode): readonly string[] {
  const { focus, index } = node as { readonly focus?: unknown; readonly index?: unknown };
  const names = [focus, index, ...(node.stages ?? []).map((stage) => (stage as { value?: unknown }).value)];
  if (node.type === "bind") names.push(node.lhs?.value);
  if (node.type === "lambda") names.push(...(node.arguments ?? []).map(({ value }) => value));
  return names.filter((name) => typeof name === "string");
}
