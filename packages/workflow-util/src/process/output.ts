import { closeSync, fstatSync, openSync } from "node:fs";
import { guarded } from "./failure.js";
import { createLines } from "./lines.js";
import { createTail } from "./tail.js";
import type { ChildOutput, OpenOutput } from "./types.js";

/** Opens one of the child's outputs; throws what the system says. `fail` takes what `onLine` throws. */
export function openOutput(output: ChildOutput, fail: (error: unknown) => void): OpenOutput {
  if (output.kind === "file") return openFile(output.path);
  return openMemory(output.limitBytes, output.onLine === null ? null : guarded(output.onLine, fail));
}

// O_APPEND: whoever else writes into the file, nothing is overwritten.
function openFile(path: string): OpenOutput {
  const fd = openSync(path, "a", 0o600);
  return {
    channel: { kind: "fd", fd },
    size: () => fstatSync(fd).size,
    finish: () => null,
    close: () => closeSync(fd),
  };
}

function openMemory(limitBytes: number, onLine: ((line: string) => void) | null): OpenOutput {
  const tail = createTail(limitBytes);
  const lines = onLine === null ? null : createLines(limitBytes, onLine);
  let size = 0;
  return {
    channel: {
      kind: "pipe",
      sink: (chunk) => {
        size += chunk.length;
        tail.push(chunk);
        lines?.push(chunk);
      },
    },
    size: () => size,
    finish: () => {
      lines?.finish();
      return tail.text();
    },
    close: () => {},
  };
}
