import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore, type Hash, type JsonValue, putSchema, type Store } from "@uncaged/json-cas";
import type { CasRef, ModeratorContext, ThreadId } from "@uncaged/workflow-protocol";
import {
  type CachedStorage,
  cacheHistory,
  type WholeHistory,
  wholeHistory,
} from "../../src/history-cache.js";
import { openHistory, openStorage, putNode, readChain, readContext } from "../../src/index.js";
import { good, THREAD, tempRoot, WORKFLOW } from "../support/index.js";

/** A thread whose nodes are in memory and whose cache is on the disk. */
export type Lab = {
  readonly storage: CachedStorage & { readonly root: string };
  readonly start: CasRef;
  /** Every node that was read since the last look. */
  readonly reads: () => readonly Hash[];
  /** A step behind `prev`, with any output. */
  readonly step: (prev: CasRef | null, output: JsonValue) => Promise<CasRef>;
};

export async function openLab(prompt = "Fix it"): Promise<Lab> {
  const cas = createMemoryStore();
  const anything = await putSchema(cas, { title: "anything" });
  const start = await putNode(cas, "startNode", {
    workflow: await putNode(cas, "workflow", WORKFLOW),
    prompt,
  });
  const detail = await putNode(cas, "content", { text: "what happened" });
  let reads: Hash[] = [];
  const get: Store["get"] = (hash) => {
    reads.push(hash);
    return cas.get(hash);
  };
  return {
    storage: { ...openStorage(tempRoot(), { now: () => 0 }), cas: { ...cas, get } },
    start,
    reads: () => {
      const seen = reads;
      reads = [];
      return seen;
    },
    step: async (prev, payload) => {
      const output = await cas.put(anything, payload);
      return putNode(cas, "stepNode", { start, prev, role: "developer", output, detail, agent: "uwf-test" });
    },
  };
}

/** So many steps, one behind the other. */
export async function chain(
  lab: Lab,
  length: number,
  from: CasRef | null = null,
): Promise<readonly CasRef[]> {
  const steps: CasRef[] = [];
  for (let n = 0; n < length; n += 1) {
    steps.push(await lab.step(steps.at(-1) ?? from, { n, of: steps.length, text: `step ${n} ✓` }));
  }
  return steps;
}

/** What the nodes say, without any cache. */
export function plain({ storage }: Lab, head: CasRef): ModeratorContext {
  return good(readContext(storage.cas, good(readChain(storage.cas, head))));
}

/** What a command that only reads sees. */
export function read({ storage }: Lab, head: CasRef, thread: ThreadId = THREAD): WholeHistory {
  return good(wholeHistory(storage, thread, good(openHistory(storage.cas, head))));
}

/** What a step does: reads, and keeps what the cache lacks. Gives what it saw. */
export function keep(lab: Lab, head: CasRef, thread: ThreadId = THREAD): ModeratorContext {
  const whole = read(lab, head, thread);
  cacheHistory(lab.storage, thread, lab.start, whole);
  return whole.context;
}

export function fileOf({ storage }: Lab, thread: ThreadId = THREAD): string {
  return join(storage.paths.cache, "history", `${thread}.json`);
}

export function bytesOf(lab: Lab, thread: ThreadId = THREAD): Buffer | null {
  const file = fileOf(lab, thread);
  return existsSync(file) ? readFileSync(file) : null;
}

/** How many steps were taken from the cache when the history was read. */
export function known(lab: Lab, head: CasRef, thread: ThreadId = THREAD): number {
  return read(lab, head, thread).known;
}
