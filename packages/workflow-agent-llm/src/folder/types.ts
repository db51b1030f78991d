import type { Barred } from "./barred.js";

/** A sentence for the model, or what was asked for. */
export type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** A file or folder below the working folder, by its real path. */
export type Place = {
  /** The working folder's real path. */
  readonly root: string;
  /** From there, without links, "." or ".."; "" is the folder itself. */
  readonly path: string;
  readonly barred: Barred;
};

/** Where paths begin, and what none of them may lead to. */
export type Ground = {
  /** The working folder. */
  readonly cwd: string;
  /** uwf's own. */
  readonly storageRoot: string;
};

export type Found =
  | { readonly kind: "file"; readonly text: string }
  /** Folders end with a slash. */
  | { readonly kind: "folder"; readonly names: readonly string[] };
