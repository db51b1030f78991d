import { HASH_LENGTH } from "@uncaged/json-cas";
import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { isThreadIdPrefix, parseThreadId } from "@uncaged/workflow-util";
import { readHead, readHeads } from "../heads/index.js";
import { indexHistory, readHistoryOf } from "../history/index.js";
import { isThreadId } from "../ids/index.js";
import type { Storage } from "../storage/index.js";
import { notFound } from "./not-found.js";
import { stateOf } from "./state.js";
import type { ThreadState } from "./types.js";

/** The thread that a person means: by its full id or a unique prefix, in lower case too; active or ended. */
export async function findThread(storage: Storage, text: string): Promise<Result<ThreadState, Fault>> {
  const malformed = isThreadIdPrefix(text) ? null : parseThreadId(text);
  if (malformed !== null && !malformed.ok) return malformed;
  const thread = await theOne(storage, text);
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

async function theOne(storage: Storage, text: string): Promise<Result<ThreadId, Fault>> {
  const prefix = text.toUpperCase();
  if (isThreadId(prefix)) return ok(prefix);
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = indexHistory(storage, prefix);
  if (!history.ok) return history;
  const active = [...heads.value.keys()].filter((id) => id.startsWith(prefix));
  const candidates = [...new Set([...active, ...history.value.ids()])].filter(isThreadId);
  const [only] = candidates;
  if (candidates.length > 1) {
    return err(fault("AMBIGUOUS_PREFIX", { prefix, candidates: candidates.sort() }));
  }
  if (only !== undefined) return ok(only);
  // As long as a hash, and no thread begins so: most likely a node's hash was given, and the id's parser says so.
  return prefix.length === HASH_LENGTH
    ? parseThreadId(text)
    : err(fault("THREAD_NOT_FOUND", { thread: prefix }));
}
