export type Word = {
  readonly text: string;
  /** Whether it holds a `*` or `?` without quotes: then it stands for names that only the shell finds. */
  readonly glob: boolean;
};

export type Redirect = { readonly to: "read" | "write"; readonly path: string };

/** One program with its words, between two separators. */
export type Command = {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** What stands behind it; `null` at the end. */
  readonly next: Separator | null;
};

export type Separator = "&&" | "||" | "|" | ";";

export type Read =
  | { readonly ok: true; readonly commands: readonly Command[] }
  /** What the line holds that this grammar does not know. */
  | { readonly ok: false; readonly what: string };
