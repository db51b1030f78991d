import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder that goes when the test ends. */
export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "uwf scripts-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A folder with these files; a name that ends with `*` is made executable. */
export function makeTree(files: Readonly<Record<string, string>>): string {
  const root = temporaryDir();
  writeFiles(root, files);
  return root;
}

export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, name.replace(/\*$/, ""));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (name.endsWith("*")) chmodSync(file, 0o755);
  }
}

export function manifest(name: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ name: `@uncaged/${name}`, version: "0.1.0", type: "module", ...more });
}
