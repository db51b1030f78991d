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
  readonly logs: readonly BuildMessage[];
};

type BuildConfig = {
  readonly entrypoints: readonly string[];
  readonly target: "node";
  readonly format: "esm";
  readonly splitting: boolean;
  readonly minify: boolean;
  readonly banner: string;
  readonly conditions: readonly string[];
  readonly naming: { readonly entry: string; readonly chunk: string };
  readonly throw: boolean;
};

type BunApi = {
  readonly build: (config: BuildConfig) => Promise<BuildOutput>;
  readonly Transpiler: new (options: {
    readonly loader: "js";
  }) => { readonly scanImports: (code: string) => readonly { readonly path: string }[] };
};

/** Only defined on bun; what imports this is run by bun. */
export const { Bun } = globalThis as unknown as { readonly Bun: BunApi };
