import { computeHash, type Hash, META_SCHEMA_HASH, putSchema } from "@uncaged/json-cas";
import {
  type CasRef,
  type Fault,
  ok,
  type Result,
  type ThreadId,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import type { TakenThread } from "../../src/admit-threads.js";
import {
  addThread,
  admitThreads,
  openStorage,
  putNode,
  readChainNode,
  type Storage,
  type ThreadEntry,
} from "../../src/index.js";
import { good } from "./results.js";
import { tempRoot } from "./temp.js";

const META_SCHEMA = {
  title: "done",
  type: "object",
  required: ["done"],
  properties: { done: { type: "boolean" } },
  additionalProperties: false,
} as const;

export const META = computeHash(META_SCHEMA_HASH, META_SCHEMA);

export const HASH_A = "0123456789ABC" as Hash;
export const HASH_B = "6GZV90H955Z27" as Hash;

export const THREAD = threadAt(1);

/** Thread ids in ascending order. */
export function threadAt(n: number): ThreadId {
  return `01ARZ3NDEKTSV4RRFF${String(n).padStart(8, "0")}` as ThreadId;
}

export const WORKFLOW: WorkflowPayload = {
  name: "solve-issue",
  description: "Solves an issue.",
  roles: {
    developer: {
      description: "Writes code",
      goal: "Fix it",
      capabilities: ["shell"],
      agent: null,
      procedure: "Read, then write.",
      output: "A summary",
      meta: META,
    },
  },
  conditions: { done: { description: "It is done", expression: "steps[-1].output.done" } },
  graph: {
    $START: [{ role: "developer", condition: null }],
    developer: [
      { role: "$END", condition: "done" },
      { role: "developer", condition: null },
    ],
  },
};

let clock = 1_700_000_000_000;

export function tempStorage(root = tempRoot()): Storage {
  return openStorage(root, { now: () => ++clock });
}

/** A thread with its workflow and start stored. */
export async function startThread(storage: Storage, thread: ThreadId = THREAD) {
  await putSchema(storage.cas, META_SCHEMA);
  const workflow = await putNode(storage.cas, "workflow", WORKFLOW);
  const start = await putNode(storage.cas, "startNode", { workflow, prompt: `Fix ${thread}` });
  good(await addThread(storage, thread, start));
  return { thread, workflow, start };
}

/** A StepNode after `head`; the head of the thread does not move. */
export async function addStep(storage: Storage, head: CasRef, done = false): Promise<CasRef> {
  const node = good(readChainNode(storage.cas, head));
  const start = node.kind === "start" ? head : node.payload.start;
  const output = await storage.cas.put(META, { done });
  const detail = await putNode(storage.cas, "content", { text: `reply after ${head}` });
  const prev = node.kind === "start" ? null : head;
  return putNode(storage.cas, "stepNode", {
    start,
    prev,
    role: "developer",
    output,
    detail,
    agent: "uwf-test",
  });
}

/** Takes one thread of an export. */
export async function takeThread(
  storage: Storage,
  entry: ThreadEntry,
  scope: Parameters<typeof admitThreads>[2],
): Promise<Result<TakenThread, Fault>> {
  const taken = await admitThreads(storage, [entry], scope);
  if (!taken.ok) return taken;
  const [one] = taken.value;
  if (one === undefined) throw new Error("nothing was taken");
  return ok(one);
}
