import type { Import, Package, SourceFile, Tree } from "../source/index.js";
import type { Permission } from "./tables.js";

export type Tables = {
  readonly edges: readonly Permission[];
  readonly lazy: readonly Permission[];
  readonly builtIn: readonly Permission[];
  readonly unseenDependencies: readonly Permission[];
};

/** Where an import leads. */
export type Target =
  | { readonly kind: "builtin" }
  /** A package: `name` is what stands in package.json, `subpath` what follows it (`""` for the package itself). */
  | { readonly kind: "package"; readonly name: string; readonly subpath: string }
  /** A file of the tree; `path` is relative to the root, and null when no such file is there. */
  | { readonly kind: "file"; readonly path: string | null }
  | { readonly kind: "computed" };

/** One import with all that a rule may ask about it. */
export type Edge = {
  readonly from: SourceFile;
  readonly owner: Package;
  readonly import: Import;
  readonly target: Target;
};

export type Survey = { readonly tree: Tree; readonly tables: Tables; readonly edges: readonly Edge[] };
