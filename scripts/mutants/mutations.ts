import { parseSync } from "oxc-parser";

export const KINDS = [
  "condition negated",
  "guard removed",
  "&& for ||",
  "comparison",
  "bound ± 1",
  "result swapped",
  "await removed",
  "call removed",
] as const;

/** A single mistake that could stand in a source: what is there, and what would be there for the number `id`. */
export type Mutation = {
  readonly kind: (typeof KINDS)[number];
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly before: string;
  readonly planted: (id: number) => string;
};

type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};

type Form = readonly [kind: Mutation["kind"], at: Node, planted: (id: number, source: string) => string];

/** The call that the head of a planted source defines: whether the mistake with this number is the one that is made. */
export const SWITCH = "__isPlanted";

const OPPOSITE: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
};

/** Of types there is nothing left at run time. */
const HAS_VALUES = /^TS(?:NonNull|As|Satisfies)/;

const OF_TYPES = new Set(["typeAnnotation", "typeArguments", "typeParameters", "returnType"]);

/** Every mistake that could be planted in this source, in the order of its text. `random` gives numbers below 1. */
export function mutationsOf(file: string, text: string, random: () => number): readonly Mutation[] {
  const found: Mutation[] = [];
  const sourceOf = (node: Node): string => text.slice(node.start, node.end);
  const visit = (value: unknown, parent: Node | null): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, parent);
    if (!isNode(value) || (value.type.startsWith("TS") && !HAS_VALUES.test(value.type))) return;
    if (value.type === "ImportDeclaration" || value.type === "ExportAllDeclaration") return;
    for (const [kind, { start, end }, planted] of formsOf(value, parent, sourceOf, random)) {
      const before = text.slice(start, end);
      const line = text.slice(0, start).split("\n").length;
      found.push({ kind, start, end, line, before, planted: (id) => planted(id, before) });
    }
    for (const [key, member] of Object.entries(value)) if (!OF_TYPES.has(key)) visit(member, value);
  };
  visit(parseSync(file, text).program, null);
  return found;
}

function formsOf(
  node: Node,
  parent: Node | null,
  sourceOf: (node: Node) => string,
  random: () => number,
): readonly Form[] {
  const either = (id: number, mistake: string, right: string) => `(${SWITCH}(${id}) ? ${mistake} : ${right})`;
  const binary = (operator: string) =>
    `((${sourceOf(node.left as Node)}) ${operator} (${sourceOf(node.right as Node)}))`;
  const operator = String(node.operator);
  switch (node.type) {
    case "IfStatement": {
      const test = node.test as Node;
      const negated: Form = ["condition negated", test, (id, s) => either(id, `!(${s})`, `(${s})`)];
      const isGuard = node.alternate === null && leaves(node.consequent);
      return isGuard
        ? [negated, ["guard removed", test, (id, s) => `!${SWITCH}(${id}) && (${s})`]]
        : [negated];
    }
    case "ConditionalExpression":
      return [["condition negated", node.test as Node, (id, s) => either(id, `!(${s})`, `(${s})`)]];
    case "LogicalExpression": {
      if (operator === "??") return [];
      const other = operator === "&&" ? "||" : "&&";
      return [["&& for ||", node, (id) => either(id, binary(other), binary(operator))]];
    }
    case "BinaryExpression": {
      const opposite = OPPOSITE[operator];
      if (opposite === undefined) return [];
      return [["comparison", node, (id) => either(id, binary(opposite), binary(operator))]];
    }
    case "Literal": {
      if (typeof node.value === "number" && parent?.type !== "Property") {
        const by = random() < 0.5 ? "+ 1" : "- 1";
        return [["bound ± 1", node, (id, s) => either(id, `(${s} ${by})`, s)]];
      }
      const isResult = parent?.type === "ReturnStatement" || parent?.type === "ArrowFunctionExpression";
      if (typeof node.value !== "boolean" || !isResult) return [];
      return [["result swapped", node, (id, s) => either(id, String(node.value !== true), s)]];
    }
    case "ReturnStatement": {
      const argument = node.argument as Node | null;
      if (argument === null || argument.type === "Literal") return [];
      return [["result swapped", argument, (id, s) => either(id, "(null as any)", `(${s})`)]];
    }
    case "AwaitExpression":
      return [
        ["await removed", node, (id, s) => either(id, `(${sourceOf(node.argument as Node)})`, `(${s})`)],
      ];
    case "ExpressionStatement": {
      const isCall = (node.expression as Node).type === "CallExpression";
      return isCall ? [["call removed", node, (id, s) => `if (!${SWITCH}(${id})) { ${s} }`]] : [];
    }
    default:
      return [];
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function leaves(statement: unknown): boolean {
  if (!isNode(statement)) return false;
  if (statement.type !== "BlockStatement")
    return /^(?:Return|Throw|Continue|Break)Statement$/.test(statement.type);
  return leaves((statement.body as readonly unknown[]).at(-1));
}
