import { period, text } from "@uncaged/command-line";
import type { CasCommandFault } from "./fault.js";

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
