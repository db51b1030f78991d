import { join } from "node:path";

/** Stands in place of a large bundle: see there. */
export const LOADER = join(import.meta.dirname, "loader.ts");

/** Bytes from which on a bundle is worth the loader, which has 2,000 itself. */
const LARGE = 50_000;

export function isWorthKeeping(text: string): boolean {
  return text.length >= LARGE;
}

/** `uwf-mock.code.js` for `uwf-mock.js` */
export function codeFile(name: string): string {
  return name.replace(/\.js$/, ".code.js");
}
