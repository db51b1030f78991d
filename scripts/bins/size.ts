import type { Bundle } from "./bundle.js";
import { isLibraryFile } from "./libraries.js";

const REQUIRE = /\brequire\(["']\.\/([^"']+)["']\)/g;
const LAZY = /\.then\(\(\)\s*=>\s*[\w$]+\(require\(["']\.\/[^"']+["']\)\)\)/g;

/** Bytes that an entry reads before it runs, and bytes that it can ever read. */
export function sizeOf({ files }: Bundle, entry: string): { readonly start: number; readonly all: number } {
  return { start: total(files, reach(files, entry, false)), all: total(files, reach(files, entry, true)) };
}

function reach(files: Bundle["files"], entry: string, lazily: boolean): ReadonlySet<string> {
  const seen = new Set<string>([entry]);
  for (const name of seen) {
    const text = files.get(name) ?? "";
    const read = lazily ? text : text.replace(LAZY, "");
    for (const [, next] of read.matchAll(REQUIRE))
      if (next && (lazily || !isLibraryFile(next))) seen.add(next);
  }
  return seen;
}

function total(files: Bundle["files"], names: ReadonlySet<string>): number {
  return [...names].reduce((sum, name) => sum + Buffer.byteLength(files.get(name) ?? ""), 0);
}
