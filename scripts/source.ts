import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseSync } from "oxc-parser";

// The tree of packages with what the checks want to know of each file. oxc-parser says what it imports and where its comments
// are.

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
  /** Only types: gone before anything runs. */
  readonly isType: boolean;
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

/** What a function reads or does to the process around it without having been handed it. */
const AMBIENT = [
  /(?<![\w.$])(?:globalThis\.)?(process\.(?:env|exit|exitCode|argv|cwd|chdir|stdin|stdout|stderr|hrtime))\b/g,
  /(?<![\w.$])(?:globalThis\.)?(console\.\w+|Date\.now|Math\.random|performance\.now|crypto\.(?:randomUUID|getRandomValues))\b/g,
  /\b(new Date\(\))/g,
  /(?<![\w.$])(process(?=\[))/g,
  /\{[^{}]*\} = (process|crypto|performance|Date|Math|console)\b(?!\.)/g,
];

/** `log("TAG", …)` and `x.log("TAG", …)`; `console.log` and `Math.log` are none. */
const LOG_CALL = /(?<!function )(?<![\w$.])(?!console\.|Math\.)(?:[\w$]+\??\.)*log\(/g;

const AMBIENT_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  "node:process": ["env", "exit", "argv", "cwd", "default"],
  "node:crypto": ["randomBytes", "randomFillSync", "randomInt", "randomUUID", "webcrypto"],
  "node:perf_hooks": ["performance"],
  "node:os": ["homedir", "userInfo"],
  "node:console": ["default"],
};

/** What does not parse is a failure of the type check. */
function parseSource(path: string, area: SourceFile["area"], text: string): SourceFile {
  const { program, module, comments } = parseSync(path, text, { sourceType: "module", lang: "ts" });
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const code = blanked(text, comments);
  const bare = code.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, (literal) =>
    " ".repeat(literal.length),
  );
  const matches = (pattern: RegExp, where: string) =>
    [...where.matchAll(pattern)].map((match) => ({ match, line: lineAt(match.index) }));
  const inCalls = (pattern: RegExp): readonly Import[] =>
    matches(pattern, code).map(({ match, line }) => ({ specifier: match[1] ?? "", line, isType: false }));
  const areTypes = (entries: readonly { readonly isType: boolean }[]): boolean =>
    entries.length > 0 && entries.every((entry) => entry.isType);
  return {
    path,
    area,
    imports: [
      ...module.staticImports.map(
        ({ moduleRequest, entries, start }): Import => ({
          specifier: moduleRequest.value,
          line: lineAt(start),
          isType: areTypes(entries),
        }),
      ),
      ...module.staticExports.flatMap(({ entries, start }): Import[] => {
        const specifier = entries[0]?.moduleRequest?.value;
        return specifier === undefined ? [] : [{ specifier, line: lineAt(start), isType: areTypes(entries) }];
      }),
      // `/// <reference types="node" />` in what is published needs the package `@types/node`.
      ...comments.flatMap(({ value, start }): Import[] => {
        const [, name] = /^\/ <reference types="([^"]+)"/.exec(value) ?? [];
        return name === undefined ? [] : [{ specifier: `@types/${name}`, line: lineAt(start), isType: true }];
      }),
      ...inCalls(/\bimport\("([^"]+)"/g),
      ...inCalls(/\brequire(?:\.resolve)?\("([^"]+)"/g),
    ],
    ambient: [
      ...AMBIENT.flatMap((pattern) =>
        matches(pattern, bare).map(({ match, line }) => ({ name: match[1] ?? "", line })),
      ),
      ...module.staticImports.flatMap(({ moduleRequest: { value }, entries, start }) =>
        entries
          .filter((entry) => !entry.isType)
          .map(({ importName }) => importName.name ?? "default")
          .filter((name) => AMBIENT_IMPORTS[value]?.includes(name))
          .map((name) => ({ name: `${value} ${name}`, line: lineAt(start) })),
      ),
    ],
    logCalls: matches(LOG_CALL, bare).map(({ match: { index, 0: call }, line }) => {
      const [, tag = null] = /^\s*"([^"]*)"/.exec(code.slice(index + call.length)) ?? [];
      return { tag, line };
    }),
    ownStatements: program.body
      .filter(({ type, ...rest }) => !/^Export(?:All|Named)/.test(type) || !("source" in rest && rest.source))
      .map(({ start }) => lineAt(start)),
  };
}

/** The text with spaces where its comments are. */
function blanked(
  text: string,
  comments: readonly { readonly start: number; readonly end: number }[],
): string {
  let code = "";
  let at = 0;
  for (const { start, end } of comments) {
    code += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, " ");
    at = end;
  }
  return code + text.slice(at);
}
