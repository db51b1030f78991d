import type { Hash } from "../node/index.js";

/** One way in which a value breaks its schema. */
export type Violation = {
  /** JSON Pointer into the value; "" is the value itself. */
  readonly path: string;
  readonly keyword: string;
  /** What the schema asks for, in words: `boolean`, `one of "a", "b"`, `at most 3 items`. */
  readonly expected: string;
  /** What is there, in words and cut short: `"yes"`, `nothing`. */
  readonly got: string;
};

/** One way in which a schema is not one of ours. */
export type SchemaProblem = {
  /** JSON Pointer into the schema. */
  readonly path: string;
  readonly message: string;
  /** The nearest known name, when a name is unknown. */
  readonly suggestion: string | null;
};

/** Everything a store can refuse or find damaged. */
export type CasFault =
  | {
      readonly code: "NODE_DAMAGED";
      readonly hash: string;
      readonly file: string | null;
      readonly reason: string;
    }
  | { readonly code: "HASH_COLLISION"; readonly hash: string }
  | { readonly code: "UNKNOWN_TYPE"; readonly type: string }
  | { readonly code: "INVALID_PAYLOAD"; readonly type: string; readonly violations: readonly Violation[] }
  | { readonly code: "NOT_STORABLE"; readonly path: string; readonly reason: string }
  | { readonly code: "INVALID_SCHEMA"; readonly problems: readonly SchemaProblem[] }
  | { readonly code: "MALFORMED_HASH"; readonly value: string }
  | { readonly code: "AMBIGUOUS_PREFIX"; readonly prefix: string; readonly candidates: readonly string[] }
  | { readonly code: "NODE_MISSING"; readonly hash: Hash | string; readonly referrer: string | null }
  | {
      readonly code: "UNSUPPORTED_FORMAT";
      readonly file: string;
      readonly found: string;
      readonly supported: string;
    }
  | {
      readonly code: "IO_FAILED";
      readonly operation: string;
      readonly path: string;
      readonly errno: string;
      readonly reason: string;
    }
  | { readonly code: "LOCK_BUSY"; readonly lock: string; readonly holder: string; readonly waitedMs: number };
