import type { JsonValue, Store } from "@uncaged/json-cas";
import type { CasHooks } from "./hooks.js";

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
