import type { Store } from "@uncaged/json-cas";
import {
  type CasRef,
  ENV,
  err,
  type Fault,
  fault,
  messageOf,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  findThread,
  readChainNode,
  readEnding,
  readRunRecord,
  readStart,
  readWorkflow,
  runDirOf,
  type Storage,
} from "@uncaged/workflow-store";
import { parseThreadId } from "@uncaged/workflow-util";
import type { Host } from "../host.js";
import type { OpenThread } from "./environment.js";
import { type KeyUse, openRoot } from "./environment.js";

/** Opens the store and reads the thread's head, its start and its workflow: the same few nodes at any length of history. */
export async function openThread(
  host: Host,
  text: string,
  agent: KeyUse = { dotEnv: "all", keyVariables: [] },
): Promise<Result<OpenThread, Fault>> {
  const { env: ours } = host;
  const root = await openRoot(host, agent);
  if (!root.ok) return root;
  const { storage } = root.value;
  const given = { head: ours[ENV.head] ?? null, token: ours[ENV.run] ?? null };
  const held = headOfRun(storage, text, given);
  const at = held === null ? await readHeadNode(storage, text, given.head) : ok(held);
  if (!at.ok) return at;
  const { thread, head } = at.value;
  const tip = readTip(storage.cas, head);
  if (!tip.ok) return tip;
  const run = given.token ? runDirOf(storage, thread, given.token) : null;
  return ok({ ...root.value, thread, head, run, ...tip.value });
}

type At = { readonly thread: ThreadId; readonly head: CasRef };

/** What uwf says to the agents that it starts. */
type Given = { readonly head: string | null; readonly token: string | null };

/**
 * uwf holds the thread while its agent runs, so the head it passes is still current if the record of this run
 * names the same head and no process is ending the thread: the kit need not read the list of threads, however
 * long. `null`: the caller has to look the head up.
 */
function headOfRun(storage: Storage, text: string, { head, token }: Given): At | null {
  const thread = parseThreadId(text);
  if (!thread.ok || token === null || head === null) return null;
  const run = runDirOf(storage, thread.value, token);
  const record = run === null ? null : readRunRecord(run);
  const ending = readEnding(storage, thread.value);
  if (!record?.ok || !ending.ok || ending.value !== null || record.value?.head !== head) return null;
  return { thread: thread.value, head: record.value.head };
}

/** The thread's head, which must still be the one that uwf saw. */
async function readHeadNode(
  storage: Storage,
  text: string,
  expected: string | null,
): Promise<Result<At, Fault>> {
  const state = await findThread(storage, text);
  if (!state.ok) return state;
  const { thread, head, kind } = state.value;
  if (kind === "ended") return err(fault("THREAD_ENDED", { thread, reason: state.value.reason }));
  if (expected !== null && expected !== "" && expected !== head) {
    return err(fault("HEAD_MOVED", { thread, expected, found: head }));
  }
  return ok({ thread, head });
}

type Tip = Pick<OpenThread, "workflow" | "start" | "last">;

function readTip(store: Store, head: CasRef): Result<Tip, Fault> {
  const node = readChainNode(store, head);
  if (!node.ok) return err(damage(head, head, node.error));
  const last = node.value.kind === "step" ? node.value : null;
  const startHash = last === null ? head : last.payload.start;
  const start = readStart(store, startHash);
  if (!start.ok) return err(damage(head, startHash, start.error));
  const workflowHash = start.value.payload.workflow;
  const workflow = readWorkflow(store, workflowHash);
  if (!workflow.ok) return err(damage(head, workflowHash, workflow.error));
  return ok({ workflow: workflow.value, start: start.value, last });
}

/** A node that the history needs and that is not usable is damage, whatever its reader called it. */
export function damage(head: CasRef, node: CasRef, cause: Fault): Fault {
  return cause.code === "IO_FAILED"
    ? cause
    : fault("CHAIN_DAMAGED", { head, node, reason: messageOf(cause) });
}
