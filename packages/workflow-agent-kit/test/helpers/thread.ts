import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Hash, type JsonObject, putSchema } from "@uncaged/json-cas";
import {
  programOf,
  type RoleDefinition,
  type ThreadId,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import {
  addThread,
  advanceHead,
  openStorage,
  putNode,
  readNode,
  readSession,
  type Storage,
} from "@uncaged/workflow-store";
import { createLogger, newThreadId } from "@uncaged/workflow-util";

export const REVIEW_META: JsonObject = {
  type: "object",
  properties: {
    approved: { type: "boolean", description: "Whether it can be merged." },
    comments: { type: "string" },
  },
  required: ["approved"],
  additionalProperties: false,
};

export type TestThread = {
  readonly root: string;
  readonly storage: Storage;
  readonly thread: ThreadId;
  readonly start: Hash;
  readonly workflow: Hash;
  readonly remove: () => void;
};

/** A storage root of its own with one workflow (each role with its meta) and one thread at its start. */
export async function makeThread(
  metas: Readonly<Record<string, JsonObject>>,
  prompt = "Fix the bug.",
): Promise<TestThread> {
  const root = mkdtempSync(join(tmpdir(), "uwf-kit-"));
  const storage = openStorage(root, { now: Date.now });
  const roles: Record<string, RoleDefinition> = {};
  for (const [name, meta] of Object.entries(metas)) {
    roles[name] = { ...TEXTS, meta: await putSchema(storage.cas, meta) };
  }
  const names = Object.keys(metas);
  const graph = Object.fromEntries(
    ["$START", ...names].map((name) => [name, [{ role: "$END", condition: null }]]),
  );
  const payload: WorkflowPayload = { name: "solve-issue", description: "", roles, conditions: {}, graph };
  const workflow = await putNode(storage.cas, "workflow", payload);
  const start = await putNode(storage.cas, "startNode", { workflow, prompt });
  const thread = await newThreadId(Date.now());
  const added = await addThread(storage, thread, start);
  if (!added.ok) throw new Error(JSON.stringify(added.error));
  return {
    root,
    storage,
    thread,
    start,
    workflow,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

const TEXTS = {
  description: "Does its part",
  goal: "Judge the change",
  capabilities: ["read code"],
  agent: null,
  procedure: "Read, then judge.",
  output: "A verdict.",
};

/** Adds a step as an agent and uwf would. */
export async function addStep(
  made: TestThread,
  expected: Hash,
  step: {
    readonly role: string;
    readonly meta: JsonObject;
    readonly output: JsonObject;
    readonly reply: string;
  },
): Promise<Hash> {
  const { start } = made;
  const { cas } = made.storage;
  const output = await cas.put(await putSchema(cas, step.meta), step.output);
  const detail = await putNode(cas, "content", { text: step.reply });
  const prev = expected === start ? null : expected;
  const next = await putNode(cas, "stepNode", {
    start,
    prev,
    role: step.role,
    output,
    detail,
    agent: "uwf-test",
  });
  await advance(made, expected, next);
  return next;
}

/** Moves the head as uwf does with the printed hash, and logs the step with the session that its run reported. */
export async function advance(made: TestThread, expected: Hash, next: Hash): Promise<void> {
  const { storage, thread } = made;
  const moved = await advanceHead(storage, { thread, expected, next });
  const step = readNode(storage.cas, "stepNode", next);
  if (!moved.ok || !step.ok) throw new Error(JSON.stringify({ moved, step }));
  const { role, agent, detail } = step.value.payload;
  const session = readSession(storage.cas, detail);
  const { sessionId = null, cwd = null } = (session.ok ? session.value : null) ?? {};
  const log = createLogger({ dir: storage.paths.logs, now: storage.now, thread });
  log("7Q2M4KXA", "recorded", {
    outcome: "step",
    ...{ step: next, role, agent: programOf(agent), sessionId, cwd },
  });
}
