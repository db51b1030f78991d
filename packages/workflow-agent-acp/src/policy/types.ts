import type { Kind } from "../arguments.js";

export type Policy = {
  readonly allow: ReadonlySet<Kind>;
  readonly deny: ReadonlySet<Kind>;
  /** The words of the commands that the operator answers for; a last `*` stands for any words. */
  readonly commands: readonly (readonly string[])[];
  /** What stays inside this folder is allowed where nothing else is said. */
  readonly cwd: string;
  /** Folders that an allowed `cd` led to: some agents keep one shell for all commands. */
  readonly entered: readonly string[];
  /** Where the agent's shell looks for programs. */
  readonly path: string;
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

/** What an input says that it is about: a path, a command, or what cannot be shown to stay inside. */
export type Lead =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "line"; readonly line: string }
  /** A command that is already split. */
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "beyond"; readonly what: string };

/** From where paths count. */
export type Place = {
  /** The working folder. */
  readonly cwd: string;
  /** Every folder that the command may run in: each path has to stay inside from each of them. */
  readonly bases: readonly string[];
};
