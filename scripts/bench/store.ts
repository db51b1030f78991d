import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CasNode,
  computeHash,
  createMemoryStore,
  encodeNode,
  type Hash,
  putSchema,
} from "@uncaged/json-cas";
import { fsStoreFile } from "@uncaged/json-cas-fs";
import type { ThreadId, WorkflowPayload } from "@uncaged/workflow-protocol";
import { addThread, openStorage, putNode, setRegistry, TYPE } from "@uncaged/workflow-store";

export type StoreSpec = {
  /** Steps of the thread that is stepped. */
  readonly history: number;
  /** Threads in threads.yaml, and in history.jsonl. */
  readonly threads: number;
  readonly ended: number;
  /** At least so many nodes in the store. */
  readonly nodes: number;
  /** Of the one role's condition. */
  readonly expression: string;
};

export type BuiltStore = {
  readonly root: string;
  readonly thread: ThreadId;
  /** Puts the thread's head back to where it was. */
  readonly reset: () => void;
};

const META = {
  type: "object",
  required: ["ok"],
  properties: { ok: { type: "boolean" }, note: { type: "string" } },
} as const;

/** A storage root as uwf and its agents would have made it, by the library. */
export async function buildStore(root: string, spec: StoreSpec): Promise<BuiltStore> {
  const storage = openStorage(root, { now: Date.now });
  // In memory first: a benchmark's store need not survive a power cut, and a hundred thousand fsyncs take minutes.
  const cas = createMemoryStore();
  const meta = await putSchema(cas, META);
  const workflow = await putNode(cas, "workflow", workflowOf(meta, spec.expression));
  const start = await putNode(cas, "startNode", { workflow, prompt: "Measure it" });
  let prev: Hash | null = null;
  for (let index = 0; index < spec.history; index += 1) {
    const output = await cas.put(meta, { ok: true, note: `step ${index}` });
    const prompt = await putNode(cas, "content", { text: "Measure it" });
    const raw = await putNode(cas, "content", {
      text: `---\nok: true\nnote: step ${index}\n---\nDone with ${index}.`,
    });
    const facts = {
      agent: "uwf-bench",
      role: "worker",
      sessionId: null,
      cwd: null,
      model: null,
      usage: null,
    };
    const session = { ...facts, prompt, turns: [], raw, startedAt: index, durationMs: 1 };
    const detail = await putNode(cas, "reactSession", session);
    prev = await putNode(cas, "stepNode", {
      start,
      prev,
      role: "worker",
      output,
      detail,
      agent: "uwf-bench",
    });
  }
  const head = prev ?? start;
  const nodes = cas.list().map((hash) => [hash, cas.get(hash)] as const);
  writeNodes(storage.paths.cas, nodes);
  writeNodes(storage.paths.cas, filler(spec.nodes - nodes.length));
  expectOk(await setRegistry(storage, "bench", workflow));
  const thread = threadAt(spec.threads);
  expectOk(await addThread(storage, thread, head));
  // The ids ascend, and the thread that is stepped is the last one.
  const threads = lines(spec.threads, (at) => `${threadAt(at + 1)}: "${head}"`);
  const reset = (): void => writeFileSync(storage.paths.threads, threads);
  if (spec.threads > 1) reset();
  const end = { workflow, head, reason: "end" };
  const ended = (at: number): string => `01ARYZ6S41TSV4RRFF${String(at).padStart(8, "0")}`;
  const lineAt = (at: number): string => JSON.stringify({ thread: ended(at), ...end, completedAt: at });
  if (spec.ended > 0) writeFileSync(storage.paths.history, lines(spec.ended, lineAt));
  return { root, thread, reset };
}

function workflowOf(meta: Hash, expression: string): WorkflowPayload {
  const texts = { description: "d", goal: "g", capabilities: [], agent: null, procedure: "p", output: "o" };
  return {
    name: "bench",
    description: "One role, again and again",
    roles: { worker: { ...texts, meta } },
    conditions: { again: { description: "", expression } },
    graph: {
      $START: [{ role: "worker", condition: null }],
      worker: [
        { role: "worker", condition: "again" },
        { role: "$END", condition: null },
      ],
    },
  };
}

function lines(count: number, lineAt: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => `${lineAt(at)}\n`).join("");
}

function threadAt(number: number): ThreadId {
  return `01ARZ3NDEKTSV4RRFF${String(number).padStart(8, "0")}` as ThreadId;
}

/** Writes nodes and their index lines into a store's folder, as the store would, but nothing is synced. */
function writeNodes(dir: string, nodes: Iterable<readonly [Hash, CasNode | null]>): void {
  mkdirSync(join(dir, "_index"), { recursive: true });
  const index = new Map<Hash, string[]>();
  for (const [hash, node] of nodes) {
    if (node === null) continue;
    writeFileSync(fsStoreFile(dir, hash), encodeNode(node));
    index.set(node.type, index.get(node.type) ?? []);
    index.get(node.type)?.push(`${hash}\n`);
  }
  for (const [type, hashes] of index)
    writeFileSync(join(dir, "_index", type), hashes.join(""), { flag: "a" });
}

/** So many nodes that nothing refers to. */
function* filler(count: number): Generator<readonly [Hash, CasNode]> {
  for (let index = 0; index < count; index += 1) {
    const payload = { text: `filler ${index}` };
    const timestamp = Date.UTC(2026, 0) + index;
    yield [computeHash(TYPE.content, payload), { type: TYPE.content, payload, timestamp }];
  }
}

function expectOk(result: { readonly ok: boolean }): void {
  if (!result.ok) throw new Error(JSON.stringify(result));
}
