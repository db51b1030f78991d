import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Snapshot } from "./types.js";

/** Every file of a folder. */
export function snapshotOf(root: string): Snapshot {
  return new Map(filesIn(root).map((file) => [relative(root, file), readFileSync(file)]));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
    );
}

/** Makes the folder hold these files and no others. */
export function restore(root: string, snapshot: Snapshot): void {
  rmSync(root, { recursive: true, force: true });
  for (const [name, bytes] of snapshot) {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { mode: name === ".env" ? 0o600 : 0o644 });
  }
}

export function bytesOf(root: string, name: string): Uint8Array | null {
  try {
    return readFileSync(join(root, name));
  } catch {
    return null;
  }
}

export function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}
