import type { JsonValue } from "@uncaged/json-cas";
import type { Command } from "commander";
import type { AnswerCode, OpenCas } from "../commands/index.js";
import type { CasHooks } from "../hooks/index.js";

/** What the program that mounts the group provides. */
export type CasContext = {
  /** What a person types before the verb: `uwf cas`. Examples in the help start with it. */
  readonly prefix: string;
  /** Called when a command runs, not before; whatever it throws passes through the action. */
  readonly openStore: () => OpenCas;
  /** Prints the document of a command on stdout; the process ends with `exitCode` (not 0 is an answer, no failure). */
  readonly print: (document: JsonValue, exitCode: AnswerCode) => void | Promise<void>;
  /** A line for the person, on stderr. */
  readonly warn: (sentence: string) => void;
  /** Everything that stands on stdin, until its end. */
  /** `null`: more than `limit` bytes. */
  readonly readStdin: (limit: number) => Uint8Array | null;
  /** Writes text to stdout as it is: `export -o -`. */
  readonly write: (text: string) => void;
  /** Epoch ms. */
  readonly now: () => number;
  /** What the program knows beyond the store; loaded by the commands that ask for it. `null`: a store and nothing else. */
  readonly loadHooks: (() => Promise<CasHooks>) | null;
  /** Applied to every command of the group: adds the options that the program takes everywhere. */
  readonly configure: (command: Command) => Command;
};
