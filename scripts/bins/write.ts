import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bundle } from "./bundle.js";

/** The package around is `"type": "module"`, its binaries are CommonJS. */
const PACKAGE = ["package.json", `${JSON.stringify({ type: "commonjs" })}\n`] as const;

/**
 * Puts a bundle in place of the old one while others may be running it: what the entries load first, then the entries
 * by rename, then what nobody names any more is removed.
 */
export function writeBundle({ files, entries }: Bundle, outdir: string): void {
  mkdirSync(outdir, { recursive: true });
  const others = [...files].filter(([name]) => !entries.includes(name));
  const first = [...files].filter(([name]) => entries.includes(name));
  for (const [name, text] of [PACKAGE, ...others, ...first]) {
    const temporary = join(outdir, `.${name}.${process.pid}.tmp`);
    writeFileSync(temporary, text);
    renameSync(temporary, join(outdir, name));
  }
  for (const name of readdirSync(outdir)) {
    if (!files.has(name) && name !== PACKAGE[0]) rmSync(join(outdir, name), { recursive: true, force: true });
  }
}
