import { type AstNode, isNode, literalText } from "./ast.js";

// What a function reads or does to the process around it without having been handed it. `null` = every member.

const MEMBERS: Readonly<Record<string, readonly string[] | null>> = {
  process: ["env", "exit", "exitCode", "argv", "cwd", "chdir", "stdin", "stdout", "stderr", "hrtime"],
  console: null,
  Date: ["now"],
  Math: ["random"],
  performance: ["now"],
  crypto: ["randomUUID", "getRandomValues"],
};

const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  process: ["env", "exit", "argv", "cwd", "default"],
  crypto: ["randomBytes", "randomFillSync", "randomInt", "randomUUID", "webcrypto"],
  perf_hooks: ["performance"],
  os: ["homedir", "userInfo"],
  console: ["default"],
};

/** Names like `process.env` that an expression reads; `declared` are the names that are not the globals here. */
export function ambientOf(node: AstNode, declared: ReadonlySet<string>): readonly string[] {
  if (node.type === "NewExpression") return newDate(node, declared);
  if (node.type === "VariableDeclarator") return destructured(node, declared);
  if (node.type !== "MemberExpression") return [];
  const object = globalName(node.object, declared);
  if (object === null || !Object.hasOwn(MEMBERS, object)) return [];
  const property = node.property as AstNode;
  const name = node.computed === true ? literalText(property) : String(property.name);
  const members = MEMBERS[object];
  if (members === null || members === undefined) return [`${object}.${name ?? "[…]"}`];
  return name !== null && members.includes(name) ? [`${object}.${name}`] : [];
}

/** `new Date()` reads the clock; `new Date(0)` does not. */
function newDate(node: AstNode, declared: ReadonlySet<string>): readonly string[] {
  const none = (node.arguments as readonly unknown[]).length === 0;
  return none && globalName(node.callee, declared) === "Date" ? ["new Date()"] : [];
}

/** `const { env } = process`. */
function destructured(node: AstNode, declared: ReadonlySet<string>): readonly string[] {
  const object = globalName(node.init, declared);
  const pattern = node.id as AstNode;
  if (object === null || !Object.hasOwn(MEMBERS, object) || pattern.type !== "ObjectPattern") return [];
  return (pattern.properties as readonly AstNode[])
    .map((property) => (isNode(property.key) ? String(property.key.name) : "…"))
    .filter((name) => MEMBERS[object]?.includes(name) ?? true)
    .map((name) => `${object}.${name}`);
}

/** `process` of `process`, `globalThis.process`. */
function globalName(value: unknown, declared: ReadonlySet<string>): string | null {
  if (!isNode(value)) return null;
  if (value.type === "Identifier") return declared.has(String(value.name)) ? null : String(value.name);
  if (value.type !== "MemberExpression" || !isNode(value.object)) return null;
  const isGlobal = value.object.type === "Identifier" && value.object.name === "globalThis";
  return isGlobal ? String((value.property as AstNode).name) : null;
}

/** Names like `node:crypto randomBytes` that an import declaration brings in. */
export function importsAmbient(declaration: AstNode): readonly string[] {
  const module = (literalText(declaration.source) ?? "").replace(/^node:/, "");
  if (declaration.importKind === "type" || !Object.hasOwn(IMPORTS, module)) return [];
  const names = IMPORTS[module] ?? [];
  return ((declaration.specifiers ?? []) as readonly AstNode[])
    .filter((specifier) => specifier.importKind !== "type")
    .map((specifier) => (isNode(specifier.imported) ? String(specifier.imported.name) : "default"))
    .filter((name) => names.includes(name))
    .map((name) =>
      module === "process" && name !== "default" ? `process.${name}` : `node:${module} ${name}`,
    );
}
