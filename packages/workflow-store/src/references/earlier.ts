import type { CasRef } from "@uncaged/workflow-protocol";
import type { OpenHistory } from "../chain/index.js";

/**
 * Whether a node is one that a thread has recorded already: its start, a step, a step's output or detail. The steps
 * before the last are read once it is none of those at hand.
 */
export function recordedIn(history: OpenHistory): (hash: CasRef) => boolean {
  const { start, newest } = history;
  const atHand = new Set<CasRef>([
    start.hash,
    start.payload.workflow,
    ...(newest === null ? [] : [newest.hash]),
  ]);
  let all: ReadonlySet<CasRef> | null = null;
  return (hash) => {
    if (atHand.has(hash)) return true;
    all ??= allRecorded(history);
    return all.has(hash);
  };
}

/** A history that cannot be read says nothing: then more is looked at. */
function allRecorded({ last }: OpenHistory): ReadonlySet<CasRef> {
  const steps = last(null);
  if (!steps.ok) return new Set();
  return new Set(steps.value.flatMap(({ hash, payload }) => [hash, payload.output, payload.detail]));
}
