import type { Hash, JsonValue } from "@uncaged/json-cas";
import { below } from "../shape/index.js";

/** The first place of a hash in a payload, as a JSON Pointer; "" where it is not. */
export function placeOf(payload: JsonValue, hash: Hash): string {
  return find(payload, hash, "") ?? "";
}

function find(value: JsonValue, hash: Hash, at: string): string | null {
  if (value === hash) return at;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const found = find(member, hash, below(at, key));
    if (found !== null) return found;
  }
  return null;
}
