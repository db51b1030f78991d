import type { JsonObject } from "@uncaged/json-cas";

export type TypeName = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** One schema with `$ref` and `allOf` followed. */
export type Gathered = {
  /** The schema and everything that `$ref` and `allOf` join to it. */
  readonly conjuncts: readonly JsonObject[];
  /** The references followed on the way. */
  readonly refs: readonly string[];
  /** `false` stands somewhere: no value fits. */
  readonly impossible: boolean;
};
