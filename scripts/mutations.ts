import { parseSync } from "oxc-parser";

/** A single mistake that could stand in a source: what is there, and what would be there. */
export type Mutation = {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly before: string;
  readonly planted: string;
};

type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};

type Form = readonly [kind: string, at: Node, planted: string];

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
      found.push({ kind, start, end, line, before, planted });
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
  const binary = (operator: string): string =>
    `((${sourceOf(node.left as Node)}) ${operator} (${sourceOf(node.right as Node)}))`;
  const operator = String(node.operator);
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression": {
      const test = node.test as Node;
      const negated: Form = ["condition negated", test, `!(${sourceOf(test)})`];
      const isGuard = node.type === "IfStatement" && node.alternate === null && leaves(node.consequent);
      return isGuard ? [negated, ["guard removed", test, "false"]] : [negated];
    }
    case "LogicalExpression":
      return operator === "??" ? [] : [["&& for ||", node, binary(operator === "&&" ? "||" : "&&")]];
    case "BinaryExpression": {
      const opposite = OPPOSITE[operator];
      return opposite === undefined ? [] : [["comparison", node, binary(opposite)]];
    }
    case "Literal": {
      if (typeof node.value === "number" && parent?.type !== "Property")
        return [["bound ± 1", node, `(${node.value} ${random() < 0.5 ? "+ 1" : "- 1"})`]];
      const isResult = parent?.type === "ReturnStatement" || parent?.type === "ArrowFunctionExpression";
      if (typeof node.value !== "boolean" || !isResult) return [];
      return [["result swapped", node, String(!node.value)]];
    }
    case "ReturnStatement": {
      const argument = node.argument as Node | null;
      if (argument === null || argument.type === "Literal") return [];
      return [["result swapped", argument, "(null as any)"]];
    }
    case "AwaitExpression":
      return [["await removed", node, `(${sourceOf(node.argument as Node)})`]];
    case "ExpressionStatement":
      return (node.expression as Node).type === "CallExpression" ? [["call removed", node, ";"]] : [];
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
