import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { putSchema } from "@uncaged/json-cas";
import type { CasRef, RolePlayer, ThreadId, WorkflowPayload } from "@uncaged/workflow-protocol";
import {
  appendHistory,
  configStamp,
  openStorage,
  putContent,
  putStart,
  putStep,
  putWorkflow,
  type Storage,
  setRegistry,
  writeHold,
} from "@uncaged/workflow-store";
import { expectOk, META, threadAt, writeThreads } from "./build.js";

const TEXTS = { description: "d", goal: "g", capabilities: [], procedure: "p", output: "o" } as const;

type Roles = Readonly<
  Record<string, { readonly agent: RolePlayer | null; readonly schema: Parameters<typeof putSchema>[1] }>
>;

/** Registers a workflow whose roles follow one another. */
async function putChain(storage: Storage, name: string, roles: Roles): Promise<CasRef> {
  const names = Object.keys(roles);
  const definitions: Record<string, WorkflowPayload["roles"][string]> = {};
  for (const [role, { agent, schema }] of Object.entries(roles))
    definitions[role] = { ...TEXTS, agent, meta: await putSchema(storage.cas, schema) };
  const graph = Object.fromEntries(
    ["$START", ...names].map((role, at) => [role, [{ role: names[at] ?? "$END", condition: null }]]),
  );
  const payload = { name, description: "d", roles: definitions, conditions: {}, graph };
  const workflow = await putWorkflow(storage.cas, payload);
  expectOk(await setRegistry(storage, name, workflow));
  return workflow;
}

export type BuiltWaiting = {
  readonly root: string;
  /** One of those that wait for an answer. */
  readonly held: ThreadId;
  readonly ended: ThreadId;
};

/** Threads in which a person is asked, so many, and one that has ended. */
export async function buildWaiting(root: string, many: number): Promise<BuiltWaiting> {
  const storage = openStorage(root, { now: Date.now });
  const human = { human: { timeoutSeconds: null, default: null } };
  const workflow = await putChain(storage, "gate", { asker: { agent: human, schema: META } });
  const head = await putStart(storage.cas, { workflow, prompt: "Ask" });
  writeThreads(storage, many, head);
  const record = {
    for: "answer",
    question: "g",
    threads: [],
    until: null,
    head,
    role: "asker",
    agent: null,
    since: 1,
    told: true,
    at: 1,
  } as const;
  for (let at = 1; at <= many; at += 1) {
    const config = configStamp(storage, threadAt(at));
    expectOk(writeHold(storage, threadAt(at), { ...record, config }));
  }
  const ended = threadAt(many + 1);
  expectOk(appendHistory(storage, { thread: ended, workflow, head, completedAt: 1, reason: "end" }));
  return { root, held: threadAt(many), ended };
}

export type BuiltMap = {
  readonly root: string;
  readonly thread: ThreadId;
  /** Makes the children unknown again. */
  readonly reset: () => void;
};

/** A thread whose next step is a map over so many items, so many at a time. */
export async function buildMap(
  root: string,
  { items, jobs, agent }: { readonly items: number; readonly jobs: number; readonly agent: string },
): Promise<BuiltMap> {
  const storage = openStorage(root, { now: Date.now });
  await putChain(storage, "work", { worker: { agent: null, schema: META } });
  const player = {
    workflow: { name: "work", each: "planner.items", jobs, partial: false, output: null, prompt: "task" },
  } as const;
  const list = { type: "object", required: ["items"], properties: { items: { type: "array" } } } as const;
  const results = {
    type: "object",
    required: ["results"],
    properties: { results: { type: "array" } },
  } as const;
  const workflow = await putChain(storage, "map", {
    planner: { agent: null, schema: list },
    lead: { agent: player, schema: results },
  });
  const start = await putStart(storage.cas, { workflow, prompt: "Map it" });
  const output = await storage.cas.put(await putSchema(storage.cas, list), {
    items: Array.from({ length: items }, (_, at) => `item ${at}`),
  });
  const detail = await putContent(storage.cas, "planned");
  const head = await putStep(storage.cas, {
    start,
    prev: null,
    role: "planner",
    output,
    detail,
    agent: "uwf-bench",
  });
  writeFileSync(
    storage.paths.config,
    JSON.stringify({ agents: { bench: { command: agent } }, defaultAgent: "bench" }),
  );
  const reset = (): void => {
    for (const name of ["history.jsonl", "children.jsonl", "runs", "cache"])
      rmSync(join(root, name), { recursive: true, force: true });
    writeThreads(storage, 1, head);
  };
  return { root, thread: threadAt(1), reset };
}
