import { type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { contextOf, type OpenHistory } from "../chain/index.js";
import { knownPast } from "./past.js";
import type { CachedStorage, WholeHistory } from "./types.js";

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
  const newer = contextOf(storage.cas, { head, start, steps: since });
  if (!newer.ok) return newer;
  const { steps } = newer.value;
  const context = { start: newer.value.start, steps: [...known, ...steps] };
  const lacking = since.flatMap(({ hash }, index) => {
    const step = steps[index];
    return step === undefined ? [] : [{ hash, step }];
  });
  return ok({ context, kept, lacking });
}
