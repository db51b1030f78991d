import type { CasNode, Hash } from "../node/index.js";
import { type Reader, validatorIn } from "../node-type/index.js";
import { refsIn } from "./refs-of.js";

/** The references that a node holds according to its schema, as `refsOf` finds them. Throws `UNKNOWN_TYPE`. */
export function refs(store: Reader, node: CasNode): readonly Hash[] {
  return refsIn(validatorIn(store, node.type), node.payload);
}
