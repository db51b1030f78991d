import type { CasRef, ThreadId } from "@uncaged/workflow-protocol";
import { LARGEST_DERIVED, quietly, readDerived, writeAnew } from "../files/index.js";
import { cacheFile, isOurs, writeEnd } from "./files.js";
import { bodyWithout, headerOf, lineOf, sealed, sealOf } from "./format.js";
import type { CachePlace, Kept, SeenStep } from "./types.js";

type Place = { readonly storage: CachePlace; readonly thread: ThreadId; readonly start: CasRef };

/**
 * Puts the steps behind those that the thread's cache file has. The caller holds the thread's lock; two who write all
 * the same leave a file that its seal does not fit. Gives what is kept then, or `null` when that could not be done, or
 * somebody else has changed the file: nothing is lost, the next who needs it makes a new one.
 */
export function keepSteps(
  { storage, thread, start }: Place,
  kept: Kept,
  steps: readonly SeenStep[],
): Kept | null {
  if (steps.length === 0) return kept;
  return quietly(() => {
    const file = cacheFile(storage, thread);
    const base = isOurs(storage, thread) ? baseOf(file, start, kept) : null;
    const lines = base === null ? null : linesOf(steps, LARGEST_DERIVED - base.length);
    if (base === null || lines === null) return null;
    const { bytes, seal } = sealed([base, ...lines]);
    if (kept.seal === null) writeAnew(file, bytes);
    else writeEnd(file, base.length, bytes.subarray(base.length));
    const count = kept.steps + steps.length;
    return { seal, steps: count, of: count };
  });
}

/** What stays of the file, which has to be what it was. */
function baseOf(file: string, start: CasRef, kept: Kept): Buffer | null {
  if (kept.seal === null) return headerOf(start);
  const bytes = readDerived(file);
  if (bytes === null || sealOf(bytes) !== kept.seal) return null;
  return bodyWithout(bytes, kept.of - kept.steps);
}

/** `null` when they have more bytes than that. */
function linesOf(steps: readonly SeenStep[], limit: number): readonly Buffer[] | null {
  const lines: Buffer[] = [];
  let size = 0;
  for (const step of steps) {
    const line = lineOf(step);
    size += line.length;
    if (size > limit) return null;
    lines.push(line);
  }
  return lines;
}
