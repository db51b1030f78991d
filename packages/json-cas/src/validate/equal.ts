import { encodeCopy } from "../codec/index.js";
import type { JsonValue } from "../node/index.js";
import type { Scope } from "./scope.js";

// Two JSON values are equal when their canonical bytes are: 1.0 is 1, -0 is 0, and key order does not matter.

/** Bytes that are written and compared in one step. */
const BYTES_PER_STEP = 16;

/** A primitive is its own key; of what contains others the canonical bytes are, which no primitive can be. */
export function keyOf(value: JsonValue, spend: Scope["spend"]): JsonValue {
  if (typeof value !== "object" || value === null) return value === 0 ? 0 : value;
  const bytes = encodeCopy(value);
  spend(1 + Math.floor(bytes.length / BYTES_PER_STEP));
  return `${CONTAINER}${Buffer.from(bytes).toString("latin1")}`;
}

/** No text that can be stored holds a lone surrogate, so none is taken for a container. */
const CONTAINER = "\ud800";

/** Are all items different from each other? */
export function allDiffer(items: readonly JsonValue[], spend: Scope["spend"]): boolean {
  const keys = new Set<JsonValue>();
  for (const item of items) {
    spend();
    const key = keyOf(item, spend);
    if (keys.has(key)) return false;
    keys.add(key);
  }
  return true;
}
