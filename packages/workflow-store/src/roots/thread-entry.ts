import { type CasNode, type Hash, isHash, isObject, type JsonObject, type Store } from "@uncaged/json-cas";
import {
  type CasRef,
  type ChildLine,
  err,
  type Fault,
  type HistoryReason,
  messageOf,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { appendHistory } from "../archive.js";
import { readChain } from "../chain.js";
import { updateHead } from "../heads/index.js";
import { isThreadId } from "../ids.js";
import { isEpochMs, isReason } from "../json.js";
import { withIndexLock } from "../locks.js";
import { appendRemoved, readRemoved } from "../removed.js";
import type { Storage } from "../storage.js";
import { asChildLine, findThread, linkChild, type ThreadState } from "../threads/index.js";

/** A thread as an export carries it. */
export type ThreadEntry = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  /** `null` while it is active. */
  readonly ended: {
    readonly workflow: CasRef;
    readonly reason: HistoryReason;
    readonly completedAt: number;
  } | null;
  /** Who has started it, if that thread is in the export too. */
  readonly parent: ChildLine | null;
};

export function threadEntry(state: ThreadState, parent: ChildLine | null): ThreadEntry {
  const { thread, head } = state;
  if (state.kind === "active") return { thread, head, ended: null, parent };
  const { workflow, reason, completedAt } = state;
  return { thread, head, ended: { workflow, reason, completedAt }, parent };
}

/** As an export has it. */
export function entryOutput({ thread, head, ended, parent }: ThreadEntry): JsonObject {
  return { thread, head, ended, ...(parent === null ? {} : { parent }) };
}

/** Validates a thread in an export, whose nodes `get` returns; the error says what is wrong with it. */
export function asThreadEntry(
  entry: JsonObject,
  get: (hash: Hash) => CasNode | null,
): Result<ThreadEntry, string> {
  const { thread, head, ended = null, parent = null } = entry;
  if (!isThreadId(thread)) return err("it names no thread");
  if (!isHash(head)) return err(`thread ${thread} has no head`);
  const end = ended === null ? null : asEnd(ended);
  if (end === undefined) return err(`thread ${thread} has no proper end`);
  const chain = readChain(readerAsStore(get), head);
  if (!chain.ok) return err(`thread ${thread}: ${messageOf(chain.error)}`);
  if (end !== null && end.workflow !== chain.value.workflow.hash) {
    return err(`thread ${thread} ended with the workflow ${end.workflow}, its chain has another one`);
  }
  const line = isObject(parent) ? asChildLine(parent) : null;
  if (parent !== null && line?.child !== thread) return err(`thread ${thread} names no proper parent`);
  return ok({ thread, head, ended: end, parent: line });
}

function asEnd(value: JsonObject[string]): ThreadEntry["ended"] | undefined {
  if (typeof value !== "object" || value === null || !("workflow" in value)) return undefined;
  const { workflow, reason, completedAt } = value;
  if (!isHash(workflow) || !isReason(reason) || !isEpochMs(completedAt)) return undefined;
  return { workflow, reason, completedAt };
}

/** What reads a chain asks for nodes only. */
function readerAsStore(get: (hash: Hash) => CasNode | null): Store {
  return {
    get,
    has: (hash) => get(hash) !== null,
    list: () => [],
    listByType: () => [],
    put: () => Promise.reject(new Error("an export is only read")),
  };
}

/**
 * `unchanged`: the thread is already there, at this head or beyond it. `behind`: it is active here and the
 * imported head is ahead: it is not changed, and a fork of the imported head continues from there. `different`: it
 * took another path here and is not changed.
 */
export type TakenThread = {
  readonly thread: ThreadId;
  /** Its head here. */
  readonly head: CasRef;
  /** Its head in the export. */
  readonly imported: CasRef;
  readonly outcome: "added" | "unchanged" | "behind" | "different";
};

/**
 * Adds a thread whose nodes are in the store. Takes the index lock: a second import of the same thread finds it
 * there.
 */
export function takeThread(storage: Storage, entry: ThreadEntry): Promise<Result<TakenThread, Fault>> {
  const { thread, head } = entry;
  return withIndexLock<TakenThread>(storage, async () => {
    const there = await findThread(storage, thread);
    if (there.ok) {
      const outcome = compare(storage, there.value, head);
      return ok({ thread, head: there.value.head, imported: head, outcome });
    }
    if (there.error.code !== "THREAD_NOT_FOUND") return there;
    const added = await add(storage, entry);
    return added.ok ? ok({ thread, head, imported: head, outcome: "added" }) : added;
  });
}

async function add(
  storage: Storage,
  { thread, head, ended, parent }: ThreadEntry,
): Promise<Result<void, Fault>> {
  const linked = parent === null ? ok(undefined) : linkChild(storage, parent);
  if (!linked.ok) return linked;
  if (ended === null) return updateHead(storage, thread, () => ok(head));
  const line = { thread, head, ...ended };
  const removed = readRemoved(storage);
  if (!removed.ok) return removed;
  // The history has the line of an end that was removed.
  return removed.value.at(line) === null
    ? appendHistory(storage, line)
    : appendRemoved(storage, [line], null);
}

function compare(storage: Storage, { kind, head: here }: ThreadState, imported: CasRef) {
  if (isPassed(storage, here, imported)) return "unchanged";
  return kind === "active" && isPassed(storage, imported, here) ? "behind" : "different";
}

/** Whether the history of a head goes through a node. */
function isPassed(storage: Storage, head: CasRef, node: CasRef): boolean {
  if (head === node) return true;
  const chain = readChain(storage.cas, head);
  if (!chain.ok) return false;
  return chain.value.start.hash === node || chain.value.steps.some(({ hash }) => hash === node);
}
