import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseSync } from "oxc-parser";

// The tree of packages with what the checks want to know of each file. oxc-parser reads the code, so that comments, strings
// and regexes that look like code are not taken for code.

/** One thing that is wrong, and where. `file` is relative to the root of the tree. */
export type Problem = {
  readonly file: string;
  /** 1-based; `null` when the problem is the file as a whole. */
  readonly line: number | null;
  readonly rule: string;
  readonly message: string;
};

export type Tree = {
  readonly root: string;
  readonly manifest: Manifest;
  readonly packages: readonly Package[];
};

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly private: boolean;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  /** The whole file, for what is not listed above. */
  readonly raw: Readonly<Record<string, unknown>>;
};

export type Package = {
  /** The folder's name under packages/. */
  readonly folder: string;
  /** Relative to the root, e.g. `packages/json-cas`. */
  readonly path: string;
  readonly manifest: Manifest;
  /** What its sources may import. A program's is bundled with it, and stands in its `devDependencies`. */
  readonly needs: Readonly<Record<string, string>>;
  /** Folder names of the packages that tsconfig.json refers to; `null` without a tsconfig.json. */
  readonly references: readonly string[] | null;
  readonly files: readonly SourceFile[];
};

export type SourceFile = {
  readonly path: string;
  readonly area: "src" | "test";
  /** What the parser complained about; everything else is then empty. */
  readonly syntaxErrors: readonly string[];
  readonly imports: readonly Import[];
  /** Reads of the surrounding process: `process.env`, `Date.now`, … */
  readonly ambient: readonly { readonly name: string; readonly line: number }[];
  /** Calls of `log`; the tag is `null` when the first argument is no string literal. */
  readonly logCalls: readonly { readonly tag: string | null; readonly line: number }[];
  /** Lines of statements that are no re-export; asked of `index.ts` files only. */
  readonly ownStatements: readonly number[];
};

export type Import = {
  readonly specifier: string;
  readonly line: number;
  readonly kind: "static" | "dynamic" | "type";
};

/** The package that nobody builds on: npm installs its bundles, which have everything in them, and nothing else. */
export const PROGRAM = "cli-workflow";

/** `file:line rule: message`, one per line, sorted. */
export function formatProblems(problems: readonly Problem[]): string {
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...problems]
    .sort((a, b) => compare(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0) || compare(a.message, b.message))
    .map(({ file, line, rule, message }) => `${file}${line === null ? "" : `:${line}`}  ${rule}: ${message}`)
    .join("\n");
}

/** Reads every package that is published, with its sources and tests. */
export function readTree(root: string): Tree {
  const packages = readdirSync(join(root, "packages"))
    .sort()
    .filter((folder) => existsSync(join(root, "packages", folder, "package.json")))
    .map((folder) => readPackage(root, folder))
    .filter(({ manifest }) => !manifest.private);
  return { root: resolve(root), manifest: readManifest(join(root, "package.json")), packages };
}

function readPackage(root: string, folder: string): Package {
  const path = `packages/${folder}`;
  const manifest = readManifest(join(root, path, "package.json"));
  const { dependencies, devDependencies } = manifest;
  const tsconfig = join(root, path, "tsconfig.json");
  type Config = { readonly references: readonly { readonly path: string }[] | undefined };
  const config: Config | null = existsSync(tsconfig) ? JSON.parse(readFileSync(tsconfig, "utf8")) : null;
  return {
    folder,
    path,
    manifest,
    needs:
      folder === PROGRAM
        ? { ...dependencies, ...devDependencies }
        : { ...dependencies, ...(isAddOn(join(root, path)) ? ours(devDependencies) : {}) },
    references: config === null ? null : (config.references ?? []).map((each) => basename(each.path)),
    files: (["src", "test"] as const).flatMap((area) =>
      listSources(root, `${path}/${area}`).map((file) =>
        parseSource(file, area, readFileSync(join(root, file), "utf8")),
      ),
    ),
  };
}

function ours(needs: Manifest["devDependencies"]): Manifest["devDependencies"] {
  return Object.fromEntries(Object.entries(needs).filter(([name]) => name.startsWith("@uncaged/")));
}

/** Whether uwf loads it from beside itself: then uwf gives it what it needs of our other packages. */
export function isAddOn(folder: string): boolean {
  return existsSync(join(folder, "src/add-on.ts"));
}

function readManifest(file: string): Manifest {
  const raw = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;
  const none = { name: "", version: "", private: false, bin: {} };
  return { ...none, dependencies: {}, devDependencies: {}, peerDependencies: {}, ...raw, raw };
}

/** All TypeScript and JavaScript files below a folder, sorted; fixtures are data and not read. */
function listSources(root: string, dir: string): readonly string[] {
  if (!existsSync(join(root, dir))) return [];
  return readdirSync(join(root, dir), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${dir}/${entry.name}`;
      if (entry.isDirectory())
        return entry.name === "fixtures" || entry.name === "node_modules" ? [] : listSources(root, path);
      return /\.[mc]?[jt]s$/.test(entry.name) ? [path] : [];
    });
}

/** A node of the ESTree that oxc-parser gives, seen generically. */
type AstNode = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;

function parseSource(path: string, area: SourceFile["area"], text: string): SourceFile {
  const { program, errors, comments } = parseSync(path, text, { sourceType: "module", lang: "ts" });
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const none = { path, area, imports: [], ambient: [], logCalls: [], ownStatements: [] };
  if (errors.length > 0) {
    const told = errors.map(({ message, labels }) => `line ${lineAt(labels[0]?.start ?? 0)}: ${message}`);
    return { ...none, syntaxErrors: told };
  }
  const nodes = allNodes(program as unknown as AstNode);
  const declared = declaredNames(nodes);
  // `/// <reference types="node" />` in what is published needs the package `@types/node`.
  const references = comments.flatMap(({ value, start }): Import[] => {
    const [, name] = /^\/ <reference types="([^"]+)"/.exec(value) ?? [];
    return name === undefined ? [] : [{ specifier: `@types/${name}`, line: lineAt(start), kind: "type" }];
  });
  return {
    path,
    area,
    syntaxErrors: [],
    imports: [
      ...references,
      ...nodes.flatMap((node) => importIn(node).map((found) => ({ ...found, line: lineAt(node.start) }))),
    ],
    ambient: nodes.flatMap((node) => {
      const names = node.type === "ImportDeclaration" ? importsAmbient(node) : ambientOf(node, declared);
      return names.map((name) => ({ name, line: lineAt(node.start) }));
    }),
    logCalls: nodes.filter(isLogCall).map((node) => {
      const [first] = node.arguments as readonly AstNode[];
      return { tag: literalText(first), line: lineAt(node.start) };
    }),
    ownStatements: (program.body as unknown as AstNode[])
      .filter(
        ({ type, source }) =>
          type !== "ExportAllDeclaration" && !(type === "ExportNamedDeclaration" && isNode(source)),
      )
      .map(({ start }) => lineAt(start)),
  };
}

function isNode(value: unknown): value is AstNode {
  return typeof value === "object" && value !== null && typeof (value as AstNode).type === "string";
}

function childrenOf(node: AstNode): AstNode[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode));
}

/** Every node of the program, parents before children. */
function allNodes(program: AstNode): readonly AstNode[] {
  const found: AstNode[] = [];
  const open: AstNode[] = [program];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node);
    open.push(...childrenOf(node).reverse());
  }
  return found;
}

/** The text of a string literal or of a template without substitutions. */
function literalText(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === "TSLiteralType") return literalText(node.literal);
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral" || (node.expressions as unknown[]).length > 0) return null;
  const [quasi] = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return quasi?.value.cooked ?? null;
}

const COMPUTED = "(computed)";

function importIn(node: AstNode): readonly Omit<Import, "line">[] {
  const specifiers = (node.specifiers ?? []) as readonly AstNode[];
  const isType = (one: AstNode): boolean => one.importKind === "type" || one.exportKind === "type";
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration": {
      const specifier = literalText(node.source);
      const typeOnly = isType(node) || (specifiers.length > 0 && specifiers.every(isType));
      return specifier === null ? [] : [{ specifier, kind: typeOnly ? "type" : "static" }];
    }
    case "ImportExpression":
      return [{ specifier: literalText(node.source) ?? COMPUTED, kind: "dynamic" }];
    case "TSImportType":
      return [
        { specifier: literalText(node.source) ?? literalText(node.argument) ?? COMPUTED, kind: "type" },
      ];
    case "CallExpression": {
      // `require("x")` and `require.resolve("x")`.
      const callee = node.callee as AstNode;
      const object = callee.type === "MemberExpression" ? (callee.object as AstNode) : callee;
      const specifier = literalText((node.arguments as readonly AstNode[])[0]);
      const isRequire = object.type === "Identifier" && object.name === "require" && specifier !== null;
      return isRequire ? [{ specifier, kind: "dynamic" }] : [];
    }
    default:
      return [];
  }
}

/** `log("TAG", …)` and `x.log("TAG", …)`; `console.log` and `Math.log` are none. */
function isLogCall(node: AstNode): boolean {
  if (node.type !== "CallExpression") return false;
  const callee = node.callee as AstNode;
  if (callee.type === "Identifier") return callee.name === "log";
  if (callee.type !== "MemberExpression") return false;
  const [object, property] = [callee.object as AstNode, callee.property as AstNode];
  const isForeign = object.type === "Identifier" && (object.name === "console" || object.name === "Math");
  return property.type === "Identifier" && property.name === "log" && !isForeign;
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
    else if (pattern.type.endsWith("Pattern")) for (const child of childrenOf(pattern)) add(child);
  };
  for (const node of nodes) {
    if (node.type === "VariableDeclarator") add(node.id);
    if (/^(Function|ArrowFunction)/.test(node.type) && Array.isArray(node.params)) node.params.forEach(add);
    if (/^Import.*Specifier$/.test(node.type)) add(node.local);
  }
  return names;
}

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
function ambientOf(node: AstNode, declared: ReadonlySet<string>): readonly string[] {
  const globalName = (value: unknown): string | null => {
    if (!isNode(value)) return null;
    if (value.type === "Identifier") return declared.has(String(value.name)) ? null : String(value.name);
    if (value.type !== "MemberExpression" || !isNode(value.object)) return null;
    const isGlobal = value.object.type === "Identifier" && value.object.name === "globalThis";
    return isGlobal ? String((value.property as AstNode).name) : null;
  };
  const read = (value: unknown, names: readonly (string | null)[]): readonly string[] => {
    const object = globalName(value);
    if (object === null || !Object.hasOwn(MEMBERS, object)) return [];
    const members = MEMBERS[object] ?? null;
    const known = names.filter((name) => members === null || (name !== null && members.includes(name)));
    return known.map((name) => `${object}.${name ?? "[…]"}`);
  };
  switch (node.type) {
    case "NewExpression": {
      // `new Date()` reads the clock; `new Date(0)` does not.
      const isEmpty = (node.arguments as readonly unknown[]).length === 0;
      return isEmpty && globalName(node.callee) === "Date" ? ["new Date()"] : [];
    }
    case "VariableDeclarator": {
      const pattern = node.id as AstNode;
      if (pattern.type !== "ObjectPattern") return [];
      const keys = (pattern.properties as readonly AstNode[]).map(({ key }) =>
        isNode(key) ? String(key.name) : null,
      );
      return read(node.init, keys);
    }
    case "MemberExpression": {
      const property = node.property as AstNode;
      return read(node.object, [node.computed === true ? literalText(property) : String(property.name)]);
    }
    default:
      return [];
  }
}

/** Names like `node:crypto randomBytes` that an import declaration brings in. */
function importsAmbient(declaration: AstNode): readonly string[] {
  const module = (literalText(declaration.source) ?? "").replace(/^node:/, "");
  if (declaration.importKind === "type" || !Object.hasOwn(IMPORTS, module)) return [];
  const specifiers = (declaration.specifiers ?? []) as readonly AstNode[];
  return specifiers
    .filter(({ importKind }) => importKind !== "type")
    .map(({ imported }) => (isNode(imported) ? String(imported.name) : "default"))
    .filter((name) => IMPORTS[module]?.includes(name))
    .map((name) =>
      module === "process" && name !== "default" ? `process.${name}` : `node:${module} ${name}`,
    );
}
