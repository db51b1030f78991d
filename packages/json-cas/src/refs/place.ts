import type { Hash, JsonValue } from "../node/index.js";
import { escapeSegment } from "../storable/index.js";

/** Where a payload first has a hash, as a JSON Pointer: for a sentence about a reference. "" where it has it nowhere. */
export function placeOf(payload: JsonValue, hash: Hash): string {
  return find(payload, hash, "") ?? "";
}

function find(value: JsonValue, hash: Hash, at: string): string | null {
  if (value === hash) return at;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const found = find(member, hash, `${at}/${escapeSegment(key)}`);
    if (found !== null) return found;
  }
  return null;
}
