import type { JsonValue, Store } from "@uncaged/json-cas";

/** A store that is open, and where it is. */
export type OpenCas = { readonly dir: string; readonly store: Store };

/** What a command may use. */
export type Tools = OpenCas & {
  /** A line for the person, on stderr. */
  readonly warn: (sentence: string) => void;
  readonly readStdin: () => Uint8Array;
};

/** 0 done, 3 not there, 4 invalid, 7 damaged: an answer like the others, and printed like them. */
export type AnswerCode = 0 | 3 | 4 | 7;

/** The document of a command and the exit code that goes with it. Failures are thrown. */
export type Answer = { readonly document: JsonValue; readonly exitCode: AnswerCode };

/** The code of one command. */
export type CasCommand<Request> = (tools: Tools, request: Request) => Promise<Answer> | Answer;
