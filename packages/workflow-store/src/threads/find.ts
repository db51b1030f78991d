import { HASH_LENGTH } from "@uncaged/json-cas";
import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { hasThreadIdPart, isThreadIdPart, parseThreadId } from "@uncaged/workflow-util";
import { readHead, readHeads } from "../heads/index.js";
import { indexHistory, readHistoryOf } from "../history/index.js";
import { isThreadId } from "../ids/index.js";
import type { Storage } from "../storage/index.js";
import { notFound } from "./not-found.js";
import { stateOf } from "./state.js";
import type { ThreadState } from "./types.js";

/** A shorter beginning is typed by mistake sooner than meant: what changes a thread does not go by it. */
const SHORTEST_TO_CHANGE = 4;

/**
 * The thread that a person means: by its full id, a unique beginning of it, or a unique end of at least 4 characters,
 * in lower case too; active or ended.
 */
export function findThread(storage: Storage, text: string): Promise<Result<ThreadState, Fault>> {
  return find(storage, text, 0);
}

/** The same for who is going to change the thread: a beginning needs 4 characters too. */
export function findThreadToChange(storage: Storage, text: string): Promise<Result<ThreadState, Fault>> {
  return find(storage, text, SHORTEST_TO_CHANGE);
}

async function find(storage: Storage, text: string, shortest: number): Promise<Result<ThreadState, Fault>> {
  const malformed = isThreadIdPart(text) ? null : parseThreadId(text);
  if (malformed !== null && !malformed.ok) return malformed;
  const thread = await theOne(storage, text.toUpperCase(), shortest);
  if (!thread.ok) return thread;
  // threads.yaml first: a thread that is archived between the two reads is in the history then, never in neither.
  const head = await readHead(storage, thread.value);
  if (!head.ok) return head;
  const line = readHistoryOf(storage, thread.value);
  if (!line.ok) return line;
  const state = stateOf(storage, thread.value, { line: line.value, head: head.value });
  if (!state.ok) return state;
  return state.value === null ? notFound(storage, thread.value) : ok(state.value);
}

async function theOne(storage: Storage, part: string, shortest: number): Promise<Result<ThreadId, Fault>> {
  if (isThreadId(part)) return ok(part);
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = indexHistory(storage, part);
  if (!history.ok) return history;
  const active = [...heads.value.keys()].filter((id) => hasThreadIdPart(id, part));
  const candidates = [...new Set([...active, ...history.value.ids()])].filter(isThreadId).sort();
  const [only] = candidates;
  if (only === undefined) {
    // As long as a hash, and no thread has it: most likely a node's hash was given, and the id's parser says so.
    return part.length === HASH_LENGTH
      ? parseThreadId(part)
      : err(fault("THREAD_NOT_FOUND", { thread: part }));
  }
  if (part.length < shortest) return err(fault("PREFIX_TOO_SHORT", { prefix: part, shortest, candidates }));
  return candidates.length > 1 ? err(fault("AMBIGUOUS_PREFIX", { prefix: part, candidates })) : ok(only);
}
