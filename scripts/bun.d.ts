// The little of bun's own API that scripts use; @types/bun would bring its globals into every file.

declare namespace Bun {
  type BuildArtifact = {
    readonly path: string;
    readonly kind: string;
    readonly text: () => Promise<string>;
  };
  type BuildMessage = {
    readonly message: string;
    readonly position: { readonly file: string; readonly line: number; readonly column: number } | null;
  };
  type BuildOutput = {
    readonly success: boolean;
    readonly outputs: readonly BuildArtifact[];
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
  type ScannedImport = { readonly path: string; readonly kind: string };
  const Transpiler: new (options: {
    readonly loader: "js";
  }) => {
    readonly scanImports: (code: string) => readonly ScannedImport[];
  };
  function build(config: BuildConfig): Promise<BuildOutput>;
}
