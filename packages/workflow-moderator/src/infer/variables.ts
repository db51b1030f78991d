import { type AstNode, BANNED, nodesOf } from "../engine/index.js";
import { JSONATA_FUNCTIONS } from "./context.js";

/** A variable where nothing binds it: jsonata takes it for nothing. */
export type UnboundVariable = {
  readonly node: AstNode;
  readonly name: string;
  readonly isCalled: boolean;
  /** Names that are bound somewhere in the expression. */
  readonly bound: readonly string[];
};

/** What binds names: the whole expression, a block in parentheses or a function. */
type Frame = { readonly names: Set<string>; readonly outer: Frame | null };

/** The first use of each unbound name; those that are not allowed are reported elsewhere. */
export function unboundVariables(ast: AstNode): readonly UnboundVariable[] {
  const { uses, bound } = variablesIn(ast);
  const known = new Set(["", "$", ...JSONATA_FUNCTIONS, ...BANNED]);
  const called = new Set([...nodesOf(ast)].map(({ procedure }) => procedure));
  const unbound = uses.flatMap(({ node, frame }): readonly UnboundVariable[] => {
    const name = String(node.value);
    if (known.has(name) || isBound(name, frame)) return [];
    return [{ node, name, isCalled: called.has(node), bound }];
  });
  return [...new Map(unbound.toReversed().map((each) => [each.name, each])).values()].toReversed();
}

function isBound(name: string, from: Frame): boolean {
  for (let frame: Frame | null = from; frame !== null; frame = frame.outer)
    if (frame.names.has(name)) return true;
  return false;
}

type Use = { readonly node: AstNode; readonly frame: Frame };

function variablesIn(ast: AstNode): { readonly uses: readonly Use[]; readonly bound: readonly string[] } {
  const uses: Use[] = [];
  const bound = new Set<string>();
  const open: { readonly part: object; readonly frame: Frame }[] = [
    { part: ast, frame: { names: new Set(), outer: null } },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { part, frame } = next;
    const node = part as AstNode;
    const inner =
      node.type === "block" || node.type === "lambda" ? { names: new Set<string>(), outer: frame } : frame;
    for (const name of namesBoundBy(node)) {
      inner.names.add(name);
      bound.add(name);
    }
    if (node.type === "variable") uses.push({ node, frame });
    // A filter behind a block or function is outside of it.
    for (const [key, value] of Object.entries(part).toReversed() as readonly (readonly [string, unknown])[]) {
      if (typeof value !== "object" || value === null || value instanceof RegExp) continue;
      open.push({ part: value, frame: INSIDE.has(key) ? inner : frame });
    }
  }
  return { uses, bound: [...bound] };
}

const INSIDE: ReadonlySet<string> = new Set(["expressions", "body", "arguments"]);

/** `$x := …`, `function($x)`, `@$x`, `#$x`. */
function namesBoundBy(node: AstNode): readonly string[] {
  const { focus, index } = node as { readonly focus?: unknown; readonly index?: unknown };
  const stages = Array.isArray(node.stages) ? node.stages : [];
  const names = [focus, index, ...stages.map((stage) => (stage as { value?: unknown }).value)];
  if (node.type === "bind") names.push(node.lhs?.value);
  if (node.type === "lambda") names.push(...(node.arguments ?? []).map(({ value }) => value));
  return names.filter((name) => typeof name === "string");
}
