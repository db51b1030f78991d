import type { Hash, JsonObject, JsonValue } from "@uncaged/json-cas";

/** One try at an example. */
export type Draft = {
  readonly root: JsonValue;
  /** Optional fields too. */
  readonly full: boolean;
  /** JSON Pointer to the number of the alternative to take there; absent: the first. */
  readonly picks: ReadonlyMap<string, number>;
  /** Filled while building: JSON Pointer to how many alternatives there are. */
  readonly offered: Map<string, number>;
  /** Hashes that stand in references. */
  readonly hashes: readonly Hash[];
  /** Nodes built so far, boxed: deep schemas end here. */
  readonly spent: { nodes: number };
};

/** Where in the value the draft is being built. */
export type Spot = {
  readonly pointer: string;
  /** What a made-up text is called after. */
  readonly name: string;
  readonly depth: number;
  /** References around this spot. */
  readonly active: readonly string[];
  /** Which alternative to take when nothing is picked: items of a set must differ. */
  readonly preferred: number;
};

/** A value, or `null`: nothing can be built here. */
export type Built = { readonly value: JsonValue } | null;

export type VariantExample = {
  /** The variant's schema; `null` where the schema is no union. */
  readonly variant: JsonValue | null;
  /** `null`: no valid example was found. */
  readonly example: JsonObject | null;
};
