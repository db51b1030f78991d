import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { isThreadIdPrefix, parseThreadId } from "@uncaged/workflow-util";
import { isThreadId } from "../ids/index.js";
import type { Storage } from "../storage/index.js";
import { readTables, stateOf, type Tables } from "./state.js";
import type { ThreadState } from "./types.js";

const ID_LENGTH = 26;
const HASH_LENGTH = 13;

/** The thread that a person means: by its full id or a unique prefix, in lower case too; active or ended. */
export async function findThread(storage: Storage, text: string): Promise<Result<ThreadState, Fault>> {
  if (!isThreadIdPrefix(text) || text.length === ID_LENGTH) {
    const id = parseThreadId(text);
    if (!id.ok) return id;
  }
  const tables = await readTables(storage);
  if (!tables.ok) return tables;
  const thread = theOne(tables.value, text);
  if (!thread.ok) return thread;
  const state = stateOf(storage, tables.value, thread.value);
  if (!state.ok) return state;
  return state.value === null ? notFound(text.toUpperCase()) : ok(state.value);
}

function theOne({ heads, history }: Tables, text: string): Result<ThreadId, Fault> {
  const prefix = text.toUpperCase();
  if (isThreadId(prefix)) return ok(prefix);
  const known = new Set([...heads.keys(), ...history.keys()]);
  const candidates = [...known].filter((id) => id.startsWith(prefix)).filter(isThreadId);
  const [only] = candidates;
  if (candidates.length > 1) {
    return err(fault("AMBIGUOUS_PREFIX", { prefix, candidates: candidates.sort() }));
  }
  if (only !== undefined) return ok(only);
  // As long as a hash, and no thread begins so: most likely a node's hash was given, and the id's parser says so.
  return prefix.length === HASH_LENGTH ? parseThreadId(text) : notFound(prefix);
}

function notFound(thread: string): Result<never, Fault> {
  return err(fault("THREAD_NOT_FOUND", { thread }));
}
