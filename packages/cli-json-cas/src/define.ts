import {
  type Arguments,
  type Command,
  commandDefiner,
  type Definition,
  type Options,
  period,
  text,
} from "@uncaged/command-line";
import type { CasNode, Hash, JsonObject, JsonValue, Store } from "@uncaged/json-cas";
import type { Root } from "@uncaged/json-cas-fs";
import type { CasCommandFault } from "./fault.js";

/** A store that is open, and where it is. */
export type OpenCas = { readonly dir: string; readonly store: Store };

/** What a command may use. */
export type Tools = OpenCas & {
  /** A line for the person, on stderr. */
  readonly warn: (sentence: string) => void;
  /** `null`: more than `limit` bytes. */
  readonly readStdin: (limit: number) => Uint8Array | null;
  /** What goes to stdout and is not a document. */
  readonly write: (bytes: Uint8Array) => void;
  /** Epoch ms. */
  readonly now: () => number;
  /** How the program is called before the verb, for sentences: `uwf cas`. */
  readonly prefix: string;
  /** Of the program around the group; `null` for the bare store. */
  readonly loadHooks: (() => Promise<CasHooks>) | null;
};

/** 0 done, 3 not there, 4 invalid, 7 damaged: an answer like the others, and printed like them. */
export type AnswerCode = 0 | 3 | 4 | 7;

/** The document of a command (`null`: it has written its own text) and the exit code that goes with it. Failures are thrown. */
export type Answer = { readonly document: JsonValue | null; readonly exitCode: AnswerCode };

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

/** Where the commands stand in a program, and what it has beyond the store. */
export type Mount = {
  /** The word before the verb in the command's path: `cas`; empty: none. */
  readonly group: string;
  /** What a person types before the verb: `uwf cas`. Examples begin with it. */
  readonly prefix: string;
  /** Whether the program keeps names for nodes: they are roots for `gc`, and `import` restores them. */
  readonly hasNames: boolean;
};

/** A command on an open store. `CasError` and `CasInputError` are thrown. */
export type CasCommand = Command<Tools, Answer | Promise<Answer>, CasCommandFault["code"]>;

/** A command for any program that has it. */
export type MountedCommand = (mount: Mount) => CasCommand;

const define = commandDefiner<Tools, Answer | Promise<Answer>, CasCommandFault["code"]>();

/** Defines a command of a store; its path, its examples and its sample begin with the verb. */
export function defineCommand<
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
>(
  definition: (mount: Mount) => Definition<A, O, Tools, Answer | Promise<Answer>, CasCommandFault["code"]>,
): MountedCommand {
  return (mount) => {
    const { path, examples, sample = null, ...rest } = definition(mount);
    const before = mount.group === "" ? "" : `${mount.group} `;
    return define({
      ...rest,
      path: `${before}${path}`,
      examples: examples.map((example) => `${mount.prefix} ${example}`),
      // Only the help of a program with names has samples, that of the bare store has none.
      sample: mount.hasNames && sample !== null ? { ...sample, line: `${before}${sample.line}` } : null,
    });
  };
}

// The kinds of values that commands of a store take.

const faults = <const F extends readonly CasCommandFault["code"][]>(...codes: F): F => codes;

/** Of a node that must be there. */
export const HASH = text("hash", {
  about: "the hash of a node, or a unique beginning of it",
  faults: faults("NODE_MISSING"),
});

/** What a program has a name for, or a hash. */
export const NAMED = text("name", { candidates: "threads", faults: faults("NODE_MISSING") });

/** `-`, JSON itself, or a path. */
export const JSON_TEXT = text("json", {
  faults: faults("INVALID_INPUT", "TOO_LARGE", "FILE_NOT_FOUND", "NOT_STORABLE"),
});

/** A file that is read. */
export const FILE = text("file", { faults: faults("FILE_NOT_FOUND", "INVALID_INPUT", "TOO_LARGE") });

/** A file that is written. */
export const OUTPUT = text("file", { faults: faults("FILE_EXISTS") });

/** In ms. */
export const DURATION = period("duration", "It must be a number with s, m, h or d, as in 30m.");

/** Below the page of every command that takes a `JSON_TEXT`. */
export const JSON_NOTES = `<json> is - for stdin, JSON itself when it starts with { [ " a digit - t f n, else the path of a file
(./true.json for one whose name starts like JSON).`;
