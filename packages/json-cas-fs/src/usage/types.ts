import type { Hash } from "@uncaged/json-cas";

/** Nodes and the bytes of their files. */
export type UsageOf = { readonly nodes: number; readonly bytes: number };

export type UsageFigures = UsageOf & {
  /** Largest first; the type of a node whose type cannot be read is `null`. */
  readonly types: readonly (UsageOf & { readonly type: Hash | null; readonly title: string | null })[];
};

export type Usage = {
  readonly figures: () => UsageFigures;
  /** What these nodes reach through references and types, each node once; `isWhole` when nothing of it is missing or damaged. */
  readonly of: (roots: readonly Hash[]) => UsageOf & { readonly isWhole: boolean };
  /** What no call of `of` has reached. */
  readonly rest: () => UsageOf;
};
