import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lazyOs } from "./lazy-os.js";
import type { ChildStdin, SpawnRequest } from "./types.js";

/**
 * What the child reads from; `null` is /dev/null. A text goes into a file that is unlinked before the child
 * starts: unlike a pipe it gives no EPIPE when the child never reads, holds nobody up at 64 KiB, and stays whole
 * when we die. Throws what the system says.
 */
export function openStdin(stdin: ChildStdin): SpawnRequest["stdin"] {
  if (stdin.kind === "null") return null;
  if (stdin.kind === "pipe") return stdin.attach;
  const folder = mkdtempSync(join(lazyOs().tmpdir(), "uwf-stdin-"));
  try {
    const file = join(folder, "stdin");
    writeFileSync(file, stdin.text, { mode: 0o600 });
    return openSync(file, "r");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function closeStdin(opened: SpawnRequest["stdin"]): void {
  if (typeof opened === "number") closeSync(opened);
}
