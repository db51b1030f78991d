import type { Kind } from "../arguments.js";

export type Policy = {
  readonly allow: ReadonlySet<Kind>;
  readonly deny: ReadonlySet<Kind>;
  /** Commands allowed by the operator, split into words; a last `*` matches any words. */
  readonly commands: readonly (readonly string[])[];
  /** By default, calls that stay inside this folder are allowed. */
  readonly cwd: string;
  /** Folders entered by an allowed `cd`: some agents keep one shell for all commands. */
  readonly entered: readonly string[];
  /** PATH of the agent's shell. */
  readonly path: string;
};

/** What a tool call is about to do, as far as the agent says. */
export type Intent = {
  /** At least one; the request may name another kind than earlier updates. */
  readonly kinds: readonly Kind[];
  readonly locations: readonly string[];
  readonly inputs: readonly unknown[];
};

export type Verdict = {
  readonly allowed: boolean;
  /** Whether `--allow` decided: only then may the answer hold for later calls too. */
  readonly named: boolean;
  /** Why, as the end of a sentence. */
  readonly reason: string;
};

/** Something that an input names: a path, a command, or anything that may lead outside. */
export type Lead =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "line"; readonly line: string }
  /** A command that is already split. */
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "beyond"; readonly what: string };

/** The folders that relative paths count from. */
export type PathBases = {
  /** The working folder. */
  readonly cwd: string;
  /** Every folder that the command may run in: each path must stay inside from all of them. */
  readonly bases: readonly string[];
};
