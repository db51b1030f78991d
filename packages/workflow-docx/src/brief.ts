import { createHash } from "node:crypto";

/** Characters of a key that is kept as it is. */
const SHORT = 120;

/**
 * A key that is equal where the given one is equal, and never long: keys of keys, of which a document has any number, take
 * memory by what it has, and not by that times how deep or how often it has it. No document has a NUL.
 */
export function brief(key: string): string {
  return key.length <= SHORT ? key : `\u0000${createHash("sha256").update(key, "utf16le").digest("base64")}`;
}
