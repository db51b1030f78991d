import { type Comment, parseSync } from "oxc-parser";
import { ambientOf, importsAmbient } from "./ambient.js";
import { type AstNode, children, isNode, literalText } from "./ast.js";
import type { Ambient, Facts, Import, LogCall } from "./types.js";

/** Parses one TypeScript file. Comments, strings and regexes that look like code are not taken for code. */
export function parseFacts(path: string, text: string): Facts {
  const { program, errors, comments } = parseSync(path, text, { sourceType: "module", lang: "ts" });
  const lineAt = lineFinder(text);
  if (errors.length > 0) {
    const syntaxErrors = errors.map(
      ({ message, labels }) => `line ${lineAt(labels[0]?.start ?? 0)}: ${message}`,
    );
    return { syntaxErrors, imports: [], ambient: [], logCalls: [], ownStatements: [] };
  }
  const nodes = allNodes(program as unknown as AstNode);
  const declared = declaredNames(nodes);
  return {
    syntaxErrors: [],
    imports: [
      ...comments.flatMap((comment) => referenceOf(comment, lineAt)),
      ...nodes.flatMap((node) => importOf(node, lineAt)),
    ],
    ambient: nodes.flatMap((node): Ambient[] => {
      const names = node.type === "ImportDeclaration" ? importsAmbient(node) : ambientOf(node, declared);
      return names.map((name) => ({ name, line: lineAt(node.start) }));
    }),
    logCalls: nodes.flatMap((node) => logCallOf(node, lineAt)),
    ownStatements: (program.body as unknown as AstNode[])
      .filter((statement) => !isReExport(statement))
      .map(({ start }) => lineAt(start)),
  };
}

function isReExport(statement: AstNode): boolean {
  if (statement.type === "ExportAllDeclaration") return true;
  return statement.type === "ExportNamedDeclaration" && isNode(statement.source);
}

/** Every node of the program, parents before children. */
function allNodes(program: AstNode): readonly AstNode[] {
  const found: AstNode[] = [];
  const open: AstNode[] = [program];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node);
    open.push(...children(node).reverse());
  }
  return found;
}

/** `/// <reference types="node" />` in what is published needs the package `@types/node`. */
function referenceOf(comment: Comment, lineAt: (offset: number) => number): Import[] {
  const [, name] = /^\/ <reference types="([^"]+)"/.exec(comment.value) ?? [];
  return name === undefined
    ? []
    : [{ specifier: `@types/${name}`, line: lineAt(comment.start), kind: "type" }];
}

function importOf(node: AstNode, lineAt: (offset: number) => number): Import[] {
  const line = lineAt(node.start);
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration": {
      const specifier = literalText(node.source);
      const typeOnly = node.importKind === "type" || node.exportKind === "type" || onlyTypeSpecifiers(node);
      return specifier === null ? [] : [{ specifier, line, kind: typeOnly ? "type" : "static" }];
    }
    case "ImportExpression":
      return [{ specifier: literalText(node.source) ?? "(computed)", line, kind: "dynamic" }];
    case "TSImportType":
      return [
        {
          specifier: literalText(node.source) ?? literalText(node.argument) ?? "(computed)",
          line,
          kind: "type",
        },
      ];
    case "CallExpression": {
      const specifier = requiredBy(node);
      return specifier === null ? [] : [{ specifier, line, kind: "dynamic" }];
    }
    default:
      return [];
  }
}

function onlyTypeSpecifiers(node: AstNode): boolean {
  const specifiers = (node.specifiers ?? []) as readonly AstNode[];
  return (
    specifiers.length > 0 && specifiers.every((one) => one.importKind === "type" || one.exportKind === "type")
  );
}

/** The module of `require("x")` and `require.resolve("x")`. */
function requiredBy(call: AstNode): string | null {
  const callee = call.callee as AstNode;
  const object = callee.type === "MemberExpression" ? (callee.object as AstNode) : callee;
  const [first] = call.arguments as readonly AstNode[];
  return object.type === "Identifier" && object.name === "require" ? literalText(first) : null;
}

/** `log("TAG", …)` and `x.log("TAG", …)`; `console.log` and `Math.log` are none. */
function logCallOf(node: AstNode, lineAt: (offset: number) => number): LogCall[] {
  if (node.type !== "CallExpression" || !isLogCallee(node.callee as AstNode)) return [];
  const [first] = node.arguments as readonly AstNode[];
  return [{ tag: literalText(first), line: lineAt(node.start) }];
}

function isLogCallee(callee: AstNode): boolean {
  if (callee.type === "Identifier") return callee.name === "log";
  if (callee.type !== "MemberExpression") return false;
  const object = callee.object as AstNode;
  const property = callee.property as AstNode;
  const foreign = object.type === "Identifier" && (object.name === "console" || object.name === "Math");
  return property.type === "Identifier" && property.name === "log" && !foreign;
}

/** Names bound anywhere in the file by a parameter, variable or import: they are not the globals of that name. */
function declaredNames(nodes: readonly AstNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (pattern: unknown): void => {
    if (!isNode(pattern)) return;
    if (pattern.type === "Identifier") names.add(String(pattern.name));
    else if (pattern.type === "AssignmentPattern") add(pattern.left);
    else if (pattern.type === "Property") add(pattern.value);
    else if (pattern.type === "RestElement") add(pattern.argument);
    else if (pattern.type.endsWith("Pattern")) for (const child of children(pattern)) add(child);
  };
  for (const node of nodes) {
    if (node.type === "VariableDeclarator") add(node.id);
    if (/^(Function|ArrowFunction)/.test(node.type) && Array.isArray(node.params)) node.params.forEach(add);
    if (/^Import.*Specifier$/.test(node.type)) add(node.local);
  }
  return names;
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
