import type { Violation } from "../fault/index.js";
import type { JsonValue } from "../node/index.js";
import type { Scope } from "./scope.js";

/** A value at its place, under explanation. */
export type Site = {
  readonly scope: Scope;
  readonly value: JsonValue;
  /** JSON Pointer to the value. */
  readonly path: string;
  /** All violations of a schema by a value: for keywords that look into alternatives and names. */
  readonly explain: Explain;
};

export type Explain = (
  scope: Scope,
  schemas: Iterable<JsonValue>,
  value: JsonValue,
  path: string,
) => readonly Violation[];
