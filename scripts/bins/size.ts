import type { Bundle } from "./bundle.js";

const STATIC_IMPORT = /(?:\bfrom|\bimport)\s*["']\.\/([^"']+)["']/g;
const LAZY_IMPORT = /\bimport\(\s*["']\.\/([^"']+)["']\s*\)/g;

/** Bytes that an entry reads before it runs, and bytes that it can ever read. */
export function sizeOf({ files }: Bundle, entry: string): { readonly start: number; readonly all: number } {
  return {
    start: total(files, reach(files, entry, [STATIC_IMPORT])),
    all: total(files, reach(files, entry, [STATIC_IMPORT, LAZY_IMPORT])),
  };
}

function reach(files: Bundle["files"], entry: string, patterns: readonly RegExp[]): ReadonlySet<string> {
  const seen = new Set<string>([entry]);
  for (const name of seen) {
    const text = files.get(name) ?? "";
    for (const pattern of patterns) for (const [, next] of text.matchAll(pattern)) if (next) seen.add(next);
  }
  return seen;
}

function total(files: Bundle["files"], names: ReadonlySet<string>): number {
  return [...names].reduce((sum, name) => sum + Buffer.byteLength(files.get(name) ?? ""), 0);
}
