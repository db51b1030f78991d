/** A value as simple conditions see it; `undefined` is JSONata's "nothing". */
export type Scalar = string | number | boolean | null | undefined;

export type Comparison = "=" | "!=" | "<" | "<=" | ">" | ">=";

/** A condition that is evaluated without JSONata. */
export type SimpleCondition =
  | { readonly kind: "literal"; readonly value: Scalar }
  /** `steps[-back].names…`, or `start.names…` with `back: 0`. */
  | { readonly kind: "path"; readonly back: number; readonly names: readonly string[] }
  /** `names…` of the step that a filter tests. */
  | { readonly kind: "member"; readonly names: readonly string[] }
  | {
      readonly kind: "compare";
      readonly operator: Comparison;
      readonly left: SimpleCondition;
      readonly right: SimpleCondition;
    }
  | { readonly kind: "and" | "or"; readonly left: SimpleCondition; readonly right: SimpleCondition }
  | { readonly kind: "not"; readonly operand: SimpleCondition }
  | { readonly kind: "exists"; readonly path: SimpleCondition }
  /** `$count(steps[filter])`, or `$exists(steps[filter])` with `exists: true`; without a filter all steps. */
  | { readonly kind: "count"; readonly filter: SimpleCondition | null; readonly exists: boolean };
