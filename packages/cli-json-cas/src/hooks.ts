import type { CasNode, Hash, JsonObject, JsonValue } from "@uncaged/json-cas";
import type { Root } from "@uncaged/json-cas-fs";

/** Reads nodes of a store or of an export file. */
export type NodeReader = (hash: Hash) => CasNode | null;

/** What a person named on the command line, beyond a hash. An export has one entry of an id. */
export type NamedEntry = { readonly root: Hash; readonly id: string; readonly entry: JsonObject };

/**
 * What a program that keeps names for nodes adds to the commands; the bare `json-cas` has none. Expected failures are
 * thrown: `CasError`, `CasInputError`, or an error that the program renders itself.
 */
export type CasHooks = {
  /** All current roots, for `gc`. Must throw rather than skip what it cannot read. */
  readonly roots: (tell: (root: Root) => void) => Promise<void>;
  /** Where a root that is not required is recorded, in words; `null`: that is not known. */
  readonly placeOfRoot: (root: Root) => string | null;
  /** Runs `work` while no root can change. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>;
  /** Epoch ms: the start of the oldest active work whose nodes no root names yet; `null` if there is none. */
  readonly busySince: () => Promise<number | null>;
  /** Where references that lead nowhere come from, in the words of the program; for `gc`, `verify` and `export`, when there are some. */
  readonly places: () => Promise<readonly BrokenReference[]>;
  /** Removes what dead processes left outside the store (`verify --repair`); gives how many files and folders. */
  readonly sweepLitter: () => Promise<number>;
  /** What an argument names that is not a hash, then what belongs to it; none for one that should be read as a hash. */
  readonly named: (text: string) => Promise<readonly NamedEntry[]>;
  /** Looks at the entries of an export before anything is written; throws when one cannot be taken. */
  readonly checkEntries: (entries: readonly JsonObject[], get: NodeReader) => void;
  /** Takes the entries over once their nodes are there; gives what became of each. `restore`: a person says that they are a backup. */
  readonly takeEntries: (entries: readonly JsonObject[], restore: boolean) => Promise<readonly JsonValue[]>;
  /** What `du` counts apart: the name of the list, and what each of its members reaches. */
  readonly owners: () => Promise<Owners>;
};

/** A dangling reference, and its owner. */
export type BrokenReference = {
  /** The node that is missing or damaged. */
  readonly hash: Hash;
  /** The node that refers to it. */
  readonly referrer: Hash | null;
  /** For a document: `{thread, step, …}`. */
  readonly fields: JsonObject;
  /** The same as words. */
  readonly words: string;
};

export type Owners = {
  /** `threads` */
  readonly name: string;
  readonly list: readonly { readonly fields: JsonObject; readonly root: Hash }[];
};
