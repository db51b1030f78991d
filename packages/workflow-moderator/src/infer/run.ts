import type { AstNode } from "../engine/index.js";
import type { Notes } from "./notes.js";
import type { Places } from "./places.js";
import type { Value } from "./value.js";

/** What names mean at a place of an expression. */
export type Scope = {
  /** What a path starts from: the context, or the item that a filter or a step looks at. */
  readonly focus: Value;
  readonly root: Value;
  readonly variables: Map<string, Value>;
  /** By path: what is known because the place is only reached if something else is true. */
  readonly refined: ReadonlyMap<string, Value>;
};

export type Run = {
  /** In which problems are noted; `null`: they are not, a part is looked at once more. */
  readonly notes: Notes | null;
  readonly places: Places;
  /** Whether a part is looked at once more with what the parts before it say. */
  readonly refines: boolean;
  readonly fuel: { left: number };
  /** How often each variable is bound: what is bound twice is not followed. */
  readonly bound: ReadonlyMap<string, number>;
  readonly roles: readonly string[];
  /** Better words for a name that is unknown, from what stands around it. */
  readonly hints: Map<AstNode, string>;
  readonly evaluate: (run: Run, node: AstNode, scope: Scope) => Value;
};
