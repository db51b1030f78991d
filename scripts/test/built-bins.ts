import { resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { unbuiltBins } from "../release/built.js";
import { membersInOrder } from "../release/workspace.js";

// vitest's globalSetup: tests start built binaries, and a stale one would test yesterday's code. It does not
// build: `bun run test` does, before vitest.

const SHOWN = 3;

export function setup({ vitest }: TestProject): void {
  const root = resolve(import.meta.dirname, "../..");
  // Internal to vitest, so it may be gone one day; then the check is made always.
  const { filenamePattern } = vitest as unknown as {
    readonly filenamePattern: readonly string[] | undefined;
  };
  if (!needsBins(root, filenamePattern ?? [])) return;
  const unbuilt = unbuiltBins(root);
  if (unbuilt.length > 0) {
    const more = unbuilt.length > SHOWN ? `\n(${unbuilt.length - SHOWN} more)` : "";
    const first = unbuilt.slice(0, SHOWN).join("\n");
    throw new Error(`Run \`bun run test\`, or \`bun run build:bins\` before vitest:\n${first}${more}`);
  }
}

/** Files chosen on the command line need no binaries when all are in packages without any. */
function needsBins(root: string, chosen: readonly string[]): boolean {
  const without = membersInOrder(root).filter(({ manifest }) => manifest.bin === undefined);
  const isWithout = (pattern: string): boolean =>
    without.some(({ folder }) => new RegExp(`(^|/)packages/${folder}(/|$)`).test(pattern));
  return chosen.length === 0 || !chosen.every(isWithout);
}
