import { encodeCopy, sameBytes } from "../codec/index.js";
import type { JsonValue } from "../node/index.js";

// Two JSON values are equal when their canonical bytes are: 1.0 is 1, -0 is 0, and key order does not matter.

export function sameValue(left: JsonValue, right: JsonValue): boolean {
  if (typeof left !== "object" || left === null) return left === right;
  return typeof right === "object" && right !== null && sameBytes(encodeCopy(left), encodeCopy(right));
}

/** Are all items different from each other? */
export function allDiffer(items: readonly JsonValue[]): boolean {
  const keys = new Set(items.map((item) => Buffer.from(encodeCopy(item)).toString("latin1")));
  return keys.size === items.length;
}
