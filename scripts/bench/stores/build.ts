import { writeFileSync } from "node:fs";
import { createMemoryStore, type Hash, putSchema, type Store } from "@uncaged/json-cas";
import type { CasRef, HistoryLine, ThreadId, WorkflowPayload } from "@uncaged/workflow-protocol";
import {
  addThread,
  openStorage,
  putContent,
  putReactSession,
  putStart,
  putStep,
  putWorkflow,
  type Storage,
  setRegistry,
} from "@uncaged/workflow-store";
import { filler, writeNodes } from "./files.js";

/** What the condition of the one role looks at. */
export type Condition = "last step" | "whole history" | "whole history, by JSONata";

export type StoreSpec = {
  /** Steps of the thread that is stepped. */
  readonly history: number;
  /** Threads in threads.yaml. */
  readonly threads: number;
  /** Threads in history.jsonl. */
  readonly ended: number;
  /** At least so many nodes in the store. */
  readonly nodes: number;
  readonly condition: Condition;
};

export type BuiltStore = {
  readonly root: string;
  readonly thread: ThreadId;
  readonly head: CasRef;
  /** Puts the thread's head back to where it was. */
  readonly reset: () => void;
};

const EXPRESSIONS: Readonly<Record<Condition, string>> = {
  "last step": "steps[-1].output.ok = true",
  "whole history": "$count(steps[output.ok = true]) > 0",
  "whole history, by JSONata": "$count(steps[output.ok = true][role = 'worker']) > 0",
};

/** What the role of a store's workflow gives. */
export const META = {
  type: "object",
  required: ["ok"],
  properties: { ok: { type: "boolean" }, note: { type: "string" } },
} as const;

/** A storage root as uwf and its agents would have made it, by the library. */
export async function buildStore(root: string, spec: StoreSpec): Promise<BuiltStore> {
  const storage = openStorage(root, { now: Date.now });
  // In memory first: a benchmark's store need not survive a power cut, and a hundred thousand fsyncs take minutes.
  const cas = createMemoryStore();
  const workflow = await putBenchWorkflow(cas, spec.condition);
  const start = await putStart(cas, { workflow, prompt: "Measure it" });
  const head = await putSteps(cas, start, workflow, spec.history);
  const nodes = cas.list().map((hash) => [hash, cas.get(hash)] as const);
  writeNodes(storage.paths.cas, nodes);
  writeNodes(storage.paths.cas, filler(spec.nodes - nodes.length));
  expectOk(await setRegistry(storage, "bench", workflow));
  const thread = threadAt(spec.threads);
  expectOk(await addThread(storage, thread, head));
  if (spec.threads > 1) writeThreads(storage, spec.threads, head);
  if (spec.ended > 0) writeHistory(storage, spec.ended, { workflow, head });
  const reset = (): void => writeThreads(storage, spec.threads, head);
  return { root, thread, head, reset };
}

async function putBenchWorkflow(cas: Store, condition: Condition): Promise<Hash> {
  const meta = await putSchema(cas, META);
  const texts = { description: "d", goal: "g", capabilities: [], agent: null, procedure: "p", output: "o" };
  const payload: WorkflowPayload = {
    name: "bench",
    description: "One role, again and again",
    roles: { worker: { ...texts, meta } },
    conditions: { again: { description: "", expression: EXPRESSIONS[condition] } },
    graph: {
      $START: [{ role: "worker", condition: null }],
      worker: [
        { role: "worker", condition: "again" },
        { role: "$END", condition: null },
      ],
    },
  };
  return putWorkflow(cas, payload);
}

async function putSteps(cas: Store, start: Hash, workflow: Hash, count: number): Promise<Hash> {
  const { roles } = (cas.get(workflow)?.payload ?? {}) as unknown as WorkflowPayload;
  const meta = roles.worker?.meta ?? workflow;
  let prev: Hash | null = null;
  for (let index = 0; index < count; index += 1) {
    const output = await cas.put(meta, { ok: true, note: `step ${index}` });
    const detail = await putSession(cas, index);
    prev = await putStep(cas, { start, prev, role: "worker", output, detail, agent: "uwf-bench" });
  }
  return prev ?? start;
}

async function putSession(cas: Store, index: number): Promise<Hash> {
  const prompt = await putContent(cas, "Measure it");
  const raw = await putContent(cas, `---\nok: true\nnote: step ${index}\n---\nDone with ${index}.`);
  const facts = { agent: "uwf-bench", role: "worker", sessionId: null, cwd: null, model: null, usage: null };
  return putReactSession(cas, { ...facts, prompt, turns: [], raw, startedAt: index, durationMs: 1 });
}

/** The ids are as long as real ones and ascend; the thread that is stepped is the last one. */
export function threadAt(number: number): ThreadId {
  return `01ARZ3NDEKTSV4RRFF${String(number).padStart(8, "0")}` as ThreadId;
}

export function writeThreads({ paths }: Storage, count: number, head: CasRef): void {
  const lines = Array.from({ length: count }, (_, index) => `${threadAt(index + 1)}: "${head}"\n`);
  writeFileSync(paths.threads, lines.join(""));
}

/** Those that have ended have ids of their own. */
function writeHistory(
  { paths }: Storage,
  count: number,
  { workflow, head }: Pick<HistoryLine, "workflow" | "head">,
): void {
  const lines = Array.from({ length: count }, (_, index): string => {
    const thread = `01ARYZ6S41TSV4RRFF${String(index).padStart(8, "0")}` as ThreadId;
    const line: HistoryLine = { thread, workflow, head, completedAt: index, reason: "end" };
    return `${JSON.stringify(line)}\n`;
  });
  writeFileSync(paths.history, lines.join(""));
}

export function expectOk(result: { readonly ok: boolean }): void {
  if (!result.ok) throw new Error(JSON.stringify(result));
}
