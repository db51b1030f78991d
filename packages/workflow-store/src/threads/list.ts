import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { isThreadId } from "../ids/index.js";
import type { Storage } from "../storage/index.js";
import { endedBy, readTables, stateOf } from "./state.js";
import type { ThreadState } from "./types.js";

/**
 * Threads by id: the active ones, with `all` the ended ones too. Heads are not read here, so one damaged thread never
 * hides the others; one that is damaged while it is being archived is listed as active, so that its damage shows.
 */
export async function listThreads(
  storage: Storage,
  { all }: { readonly all: boolean },
): Promise<Result<readonly ThreadState[], Fault>> {
  const tables = await readTables(storage);
  if (!tables.ok) return tables;
  const { heads, history } = tables.value;
  const states: ThreadState[] = all ? [...history.values()].map(endedBy) : [];
  for (const [thread, head] of heads) {
    if (!isThreadId(thread) || history.has(thread)) continue;
    const state = stateOf(storage, tables.value, thread);
    const listed = (state.ok ? state.value : null) ?? { kind: "active" as const, thread, head };
    if (all || listed.kind === "active") states.push(listed);
  }
  return ok(states.sort((a, b) => (a.thread < b.thread ? -1 : 1)));
}
