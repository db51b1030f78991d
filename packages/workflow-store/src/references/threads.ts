import type { CasNode } from "@uncaged/json-cas";
import {
  type CasRef,
  type Fault,
  messageOf,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { openHistory } from "../chain/index.js";
import type { StepNode } from "../nodes/index.js";
import type { Storage } from "../storage/index.js";
import { listThreads } from "../threads/index.js";
import { brokenReferences } from "./broken.js";
import type { BrokenReference, Top } from "./types.js";

/** A reference of a recorded step that leads nowhere. */
export type BrokenInThread = BrokenReference & {
  readonly thread: ThreadId;
  readonly step: CasRef;
  readonly role: string;
};

export type BrokenInThreads = {
  readonly broken: readonly BrokenInThread[];
  /** Whether everything was looked at. */
  readonly isWhole: boolean;
};

/**
 * What the steps of all threads refer to and what is not as it should be, each step once, with the first thread that
 * has it. Looks at `most` nodes or so. A history that cannot be read is passed over: who reads the thread is told.
 */
export async function brokenInThreads(
  storage: Storage,
  most: number,
): Promise<Result<BrokenInThreads, Fault>> {
  const threads = await listThreads(storage, { all: true });
  if (!threads.ok) return threads;
  const { cas } = storage;
  const seen = new Set<string>();
  const steps = new Set<CasRef>();
  const broken: BrokenInThread[] = [];
  for (const { thread, head } of threads.value) {
    const history = openHistory(cas, head);
    const since = history.ok ? history.value.since((hash) => steps.has(hash)) : history;
    if (!since.ok) continue;
    for (const step of since.value.steps) {
      steps.add(step.hash);
      if (seen.size >= most) return ok({ broken, isWhole: false });
      const { role } = step.payload;
      for (const found of brokenOf(storage, step, seen, most)) {
        broken.push({ thread, step: step.hash, role, ...found });
      }
    }
  }
  return ok({ broken, isWhole: seen.size < most });
}

function brokenOf(
  { cas }: Storage,
  { hash: referrer, payload }: StepNode,
  seen: Set<string>,
  most: number,
): readonly BrokenReference[] {
  const broken: BrokenReference[] = [];
  const tops: Top[] = [];
  for (const name of ["output", "detail"] as const) {
    const hash = payload[name];
    const node: Result<CasNode | null, Fault> = attempt(() => cas.get(hash));
    if (node.ok && node.value !== null) tops.push({ name, hash, node: node.value });
    else {
      const reason = node.ok ? "does not exist" : `cannot be read: ${messageOf(node.error)}`;
      broken.push({ field: name, hash, referrer, reason });
    }
  }
  return [...broken, ...brokenReferences(cas, tops, { seen, isOld: () => false, most })];
}
