/** One thing that is wrong, and where. `file` is relative to the root of the tree. */
export type Problem = {
  readonly file: string;
  /** 1-based; `null` when the problem is the file as a whole. */
  readonly line: number | null;
  readonly rule: string;
  readonly message: string;
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

export type Tree = {
  readonly root: string;
  readonly manifest: Manifest;
  readonly packages: readonly Package[];
};

export type SourceFile = {
  readonly path: string;
  readonly area: "src" | "test";
  readonly facts: Facts;
};

/** What the checks want to know of one file. */
export type Facts = {
  /** What the parser complained about; everything else is then empty. */
  readonly syntaxErrors: readonly string[];
  readonly imports: readonly Import[];
  /** Reads of the surrounding process: `process.env`, `Date.now`, … */
  readonly ambient: readonly Ambient[];
  readonly logCalls: readonly LogCall[];
  /** Lines of statements that are no re-export; asked of `index.ts` files only. */
  readonly ownStatements: readonly number[];
};

export type Import = {
  readonly specifier: string;
  readonly line: number;
  readonly kind: "static" | "dynamic" | "type";
};

export type Ambient = { readonly name: string; readonly line: number };

/** `tag` is `null` when the first argument is no string literal. */
export type LogCall = { readonly tag: string | null; readonly line: number };
