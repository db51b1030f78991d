// The little of bun's own API that the scripts use. @types/bun would bring its globals into every file of the tree.

export type BuildMessage = {
  readonly message: string;
  readonly position: { readonly file: string; readonly line: number; readonly column: number } | null;
};

type BuildOutput = {
  readonly success: boolean;
  readonly outputs: readonly {
    readonly path: string;
    readonly kind: string;
    readonly text: () => Promise<string>;
  }[];
  /** Names the sources that are in the outputs, relative to the current folder. */
  readonly metafile?: { readonly inputs: Readonly<Record<string, unknown>> };
  readonly logs: readonly BuildMessage[];
};

type Shared = {
  readonly entrypoints: readonly string[];
  readonly minify: boolean;
  readonly format: "cjs" | "esm";
  readonly conditions: readonly string[];
  readonly define: Readonly<Record<string, string>>;
  readonly plugins: readonly BunPlugin[];
  readonly throw: boolean;
};

type PlainConfig = Shared & { readonly target: "node"; readonly metafile?: true };

type BytecodeConfig = Shared & {
  readonly target: "bun";
  readonly bytecode: true;
  readonly outdir: string;
  readonly naming: string;
};

type Resolved =
  | { readonly path: string; readonly external: boolean }
  | { readonly path: string; readonly namespace: string };

type LoadedSource = { readonly loader: "js" | "ts"; readonly contents: string };

export type BunPlugin = {
  readonly name: string;
  readonly setup: (build: {
    readonly onLoad: (
      options: { readonly filter: RegExp; readonly namespace?: string },
      load: (found: { readonly path: string }) => LoadedSource | Promise<LoadedSource>,
    ) => void;
    readonly onResolve: (
      options: { readonly filter: RegExp },
      resolve: (found: { readonly path: string; readonly importer: string }) => Resolved | undefined,
    ) => void;
  }) => void;
};

type BunApi = {
  /** The file that a specifier means in a folder. Throws when there is none. */
  readonly resolveSync: (specifier: string, folder: string) => string;
  readonly build: (config: PlainConfig | BytecodeConfig) => Promise<BuildOutput>;
  readonly Transpiler: new (options: {
    readonly loader: "js" | "ts";
  }) => {
    readonly scanImports: (code: string) => readonly { readonly path: string; readonly kind: string }[];
  };
};

/** Only defined on bun; what imports this is run by bun. */
export const { Bun } = globalThis as unknown as { readonly Bun: BunApi };
