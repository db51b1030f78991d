import type { JsonObject } from "@uncaged/json-cas";

/** One place of a reply that may be its frontmatter: what stands between two lines `---`. */
export type FrontmatterBlock = {
  /** Nothing but blank lines, a byte order mark or the opening of a code fence stands before it. */
  readonly leading: boolean;
  /** The reply's line of the opening `---`, counted from 1. */
  readonly line: number;
  /** The lines between the two `---`, with LF ends. */
  readonly yaml: string;
  /** The rest of the reply: what follows, after what stands before when that is prose. A code fence around the block is gone. */
  readonly body: string;
};

/** Why a reply has no frontmatter, or a block is none. */
export type FrontmatterProblem = {
  /** Line of the reply, counted from 1; `null` when it is about the whole. */
  readonly line: number | null;
  readonly message: string;
};

export type Frontmatter = { readonly data: JsonObject; readonly body: string };
