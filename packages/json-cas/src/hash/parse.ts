import type { Hash } from "../node/index.js";

const HASH = /^[0-9A-F][0-9A-HJKMNP-TV-Z]{12}$/;

/** True for 13 characters of the alphabet in upper case, the first one 0..F. */
export function isHash(value: unknown): value is Hash {
  return typeof value === "string" && HASH.test(value);
}

/** A hash as a person types it (either case); `null` when it is none. */
export function parseHash(text: string): Hash | null {
  const upper = text.toUpperCase();
  return isHash(upper) ? upper : null;
}
