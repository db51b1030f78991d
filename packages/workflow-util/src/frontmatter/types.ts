import type { JsonObject } from "@uncaged/json-cas";

/** A part of a reply that may be its frontmatter: the text between two lines `---`. */
export type FrontmatterBlock = {
  /** Only blank lines, a byte order mark or the opening of a code fence come before it. */
  readonly leading: boolean;
  /** The reply's line of the opening `---`, counted from 1. */
  readonly line: number;
  /** The lines between the two `---`, with LF ends. */
  readonly yaml: string;
  /**
   * The rest of the reply: what follows, preceded by what comes before if that is prose. A code fence around the
   * block is removed.
   */
  readonly body: string;
};

/** Why a reply has no frontmatter, or a block is not one. */
export type FrontmatterProblem = {
  /** Line of the reply, counted from 1; `null` if it concerns all of it. */
  readonly line: number | null;
  readonly message: string;
};

export type Frontmatter = { readonly data: JsonObject; readonly body: string };
