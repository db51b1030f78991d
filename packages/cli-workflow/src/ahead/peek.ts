import type { Stamp } from "@uncaged/workflow-store";

// What is looked at before the rest of uwf is loaded. bun takes 2 ms to load node:fs, in which an agent could be coming
// up already, and can look at a file without it; Node.js has it loaded from the start.

/** Bytes. A forecast is less than what can be passed to a program. */
const LIMIT = 1024 * 1024;

// What is used of bun, typed by hand.
type BunFiles = {
  readonly file: (path: string) => { readonly size: number; readonly lastModified: number };
  readonly mmap: (path: string) => Uint8Array;
};

function bun(): BunFiles | null {
  return (globalThis as { readonly Bun?: BunFiles }).Bun ?? null;
}

/** `null` for what is not there, empty, or (on Node.js) no regular file. */
export function stampOf(path: string): Stamp | null {
  const files = bun();
  const stamp = files === null ? stampByNode(path) : stampByBun(files, path);
  return stamp !== null && stamp.size > 0 && Number.isFinite(stamp.size) ? stamp : null;
}

function stampByBun(files: BunFiles, path: string): Stamp | null {
  try {
    const { size, lastModified } = files.file(path);
    return { size, modified: Math.floor(lastModified) };
  } catch {
    return null;
  }
}

function stampByNode(path: string): Stamp | null {
  try {
    const stat = process.getBuiltinModule("node:fs").statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? { size: stat.size, modified: Math.floor(stat.mtimeMs) } : null;
  } catch {
    return null;
  }
}

/** What stands in a small file that is not empty; `null` when it cannot be read. */
export function textOf(path: string): string | null {
  const bytes = mapped(path) ?? readByNode(path);
  return bytes === null || bytes.length > LIMIT ? null : new TextDecoder().decode(bytes);
}

/** bun maps only what may be written, too; a named pipe is opened without waiting for it, and not mapped. */
function mapped(path: string): Uint8Array | null {
  try {
    return bun()?.mmap(path) ?? null;
  } catch {
    return null;
  }
}

/** Opens no named pipe, which would wait for somebody to write. */
function readByNode(path: string): Uint8Array | null {
  const stamp = stampByNode(path);
  if (stamp === null || stamp.size === 0 || stamp.size > LIMIT) return null;
  try {
    return process.getBuiltinModule("node:fs").readFileSync(path);
  } catch {
    return null;
  }
}
