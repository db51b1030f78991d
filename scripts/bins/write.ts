import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bundle } from "./bundle.js";

/**
 * Puts a bundle in place of the old one while others may be running it: chunks first (their names carry their
 * hash), then the entries by rename, then what nobody names any more goes.
 */
export function writeBundle({ files, entries }: Bundle, outdir: string): void {
  mkdirSync(outdir, { recursive: true });
  const chunks = [...files.keys()].filter((name) => !entries.includes(name));
  for (const name of [...chunks, ...entries]) {
    const temporary = join(outdir, `.${name}.${process.pid}.tmp`);
    writeFileSync(temporary, files.get(name) ?? "");
    renameSync(temporary, join(outdir, name));
  }
  for (const name of readdirSync(outdir)) {
    if (!files.has(name)) rmSync(join(outdir, name), { recursive: true, force: true });
  }
}
