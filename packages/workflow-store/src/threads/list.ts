import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { readHeads } from "../heads/index.js";
import { readHistory } from "../history/index.js";
import { isThreadId } from "../ids/index.js";
import type { Storage } from "../storage/index.js";
import { endedBy, stateOf } from "./state.js";
import type { ThreadState } from "./types.js";

/**
 * Threads by id: the active ones, with `all` the ended ones too. Heads are not read here, so one damaged thread never
 * hides the others; one that is damaged while it is being archived is listed as active, so that its damage shows.
 */
export async function listThreads(
  storage: Storage,
  { all }: { readonly all: boolean },
): Promise<Result<readonly ThreadState[], Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = readHistory(storage);
  if (!history.ok) return history;
  const states: ThreadState[] = all ? [...history.value.values()].map(endedBy) : [];
  for (const [thread, head] of heads.value) {
    if (!isThreadId(thread) || history.value.has(thread)) continue;
    const state = listed(storage, thread, head);
    if (all || state.kind === "active") states.push(state);
  }
  return ok(states.sort((a, b) => (a.thread < b.thread ? -1 : 1)));
}

function listed(storage: Storage, thread: ThreadId, head: CasRef): ThreadState {
  const state = stateOf(storage, thread, { line: null, head });
  return (state.ok ? state.value : null) ?? { kind: "active", thread, head };
}
