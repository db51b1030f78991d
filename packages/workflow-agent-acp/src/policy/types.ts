import type { Kind } from "../arguments/index.js";

export type Policy = {
  readonly allow: ReadonlySet<Kind>;
  readonly deny: ReadonlySet<Kind>;
  /** What stays inside this folder is allowed where nothing else is said. */
  readonly cwd: string;
};

/** What a tool call is about to do, as far as the agent tells. */
export type Intent = {
  /** At least one; an agent may call in its question what it has called otherwise before. */
  readonly kinds: readonly Kind[];
  readonly locations: readonly string[];
  readonly inputs: readonly unknown[];
};

export type Verdict = {
  readonly allowed: boolean;
  /** Whether `--allow` says so: only then may an answer hold for later calls too. */
  readonly named: boolean;
  /** Why, as the end of a sentence. */
  readonly reason: string;
};

/** Where something leads: a path, or somewhere that is certainly not the working folder. */
export type Lead =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "beyond"; readonly what: string };
