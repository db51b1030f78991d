import { copyJson, type JsonValue, type NotJson, type Result } from "@uncaged/json-schema";
import { CasError } from "./fault.js";

/** A deep, frozen copy of a JSON value; throws `NOT_STORABLE` for anything that JSON would change or lose. */
export function freezeCopy(value: unknown): JsonValue {
  return storable(copyJson(value));
}

/** `freezeCopy` of a whole node: its payload may be as deep and as large as any. */
export function freezeNode(node: unknown): JsonValue {
  return storable(copyJson(node, { levels: 1, values: OF_THE_NODE }));
}

/** The node, and its members beside the payload. */
export const OF_THE_NODE = 3;

/** Throws `NOT_STORABLE`, naming the place and the reason, unless the value is plain JSON at most 128 deep. */
export function checkStorable(value: unknown): asserts value is JsonValue {
  freezeCopy(value);
}

function storable(copied: Result<JsonValue, NotJson>): JsonValue {
  if (copied.ok) return copied.value;
  throw new CasError({ code: "NOT_STORABLE", ...copied.error });
}
