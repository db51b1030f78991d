import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { folderNames } from "../files/index.js";
import { readHeads } from "../heads/index.js";
import { readHistory } from "../history/index.js";
import { isThreadId } from "../ids/index.js";
import type { Storage } from "../storage/index.js";
import { endedBy, stateOf } from "./state.js";
import type { ListedThread, ThreadState } from "./types.js";

/**
 * Threads by id: the active ones, with `all` the ended ones too. Heads are not read here, so one damaged thread never
 * hides the others; one whose `ending` is damaged is listed as that, with `all` or without.
 */
export async function listThreads(
  storage: Storage,
  { all }: { readonly all: boolean },
): Promise<Result<readonly ListedThread[], Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = readHistory(storage);
  if (!history.ok) return history;
  const runs = attempt(() => new Set(folderNames(storage.paths.runs)));
  if (!runs.ok) return runs;
  const states: ListedThread[] = all ? [...history.value.values()].map(endedBy) : [];
  for (const [thread, head] of heads.value) {
    if (!isThreadId(thread) || history.value.has(thread)) continue;
    // No folder of its own, no `ending` in it.
    const state = runs.value.has(thread) ? listed(storage, thread, head) : active(thread, head);
    if (all || state.kind !== "ended") states.push(state);
  }
  return ok(states.sort((a, b) => (a.thread < b.thread ? -1 : 1)));
}

function listed(storage: Storage, thread: ThreadId, head: CasRef): ListedThread {
  const state = stateOf(storage, thread, { line: null, head });
  if (!state.ok) return { kind: "damaged", thread, head, damage: state.error };
  return state.value ?? active(thread, head);
}

function active(thread: ThreadId, head: CasRef): ThreadState {
  return { kind: "active", thread, head };
}
