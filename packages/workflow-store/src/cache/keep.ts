import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { type OpenHistory, readContext } from "../chain.js";
import { LARGEST_DERIVED, quietly, readDerived, writeAnew } from "../files.js";
import { cacheFile, isOurs, knownPast, writeEnd } from "./files.js";
import {
  bodyWithout,
  type CachedStorage,
  type CacheLocation,
  headerOf,
  type Kept,
  lineOf,
  type SeenStep,
  sealed,
  sealOf,
  type WholeHistory,
} from "./format.js";

type CachedThread = { readonly storage: CacheLocation; readonly thread: ThreadId; readonly start: CasRef };

/**
 * Puts the steps behind those that the thread's cache file has. The caller holds the thread's lock; two that write
 * regardless leave a file that its seal does not fit. Gives what is kept then, or `null` when that could not be done,
 * or another process has changed the file: nothing is lost, the next one that needs it makes a new one.
 */
export function cacheSteps(
  { storage, thread, start }: CachedThread,
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

/** The bytes of the file to append to; `null` if another process has changed it since it was read. */
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

/**
 * The whole history as conditions see it: what the cache lacks is read from its nodes, outputs too. Writes nothing. Every
 * step is deeply frozen; the list of them is not, because a frozen list of ten thousand costs bun 7 ms.
 */
export function wholeHistory(
  storage: CachedStorage,
  thread: ThreadId,
  history: OpenHistory,
): Result<WholeHistory, Fault> {
  const past = knownPast(storage, thread, history);
  if (!past.ok) return past;
  const { known, since, kept } = past.value;
  const { head, start } = history;
  const newer = readContext(storage.cas, { head, start, steps: since });
  if (!newer.ok) return newer;
  const { steps } = newer.value;
  const context = { start: newer.value.start, steps: [...known, ...steps] };
  const lacking = since.flatMap(({ hash }, index) => {
    const step = steps[index];
    return step === undefined ? [] : [{ hash, step }];
  });
  return ok({ context, kept, lacking });
}
