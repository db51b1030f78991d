import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { folderNames } from "../files/index.js";
import { readHeads } from "../heads/index.js";
import { indexHistory } from "../history/index.js";
import { isThreadId } from "../ids/index.js";
import type { Storage } from "../storage/index.js";
import { endedBy, stateOf } from "./state.js";
import { readStuck } from "./stuck.js";
import type { ListedThread, StandingThread, ThreadList } from "./types.js";

/**
 * Threads by id: the active ones, with `all` the ended ones too. Heads are not read here, so one damaged thread never
 * hides the others; one whose `ending` is damaged is listed as that, with `all` or without.
 */
export async function listThreads(
  storage: Storage,
  scope: { readonly all: boolean },
): Promise<Result<readonly ListedThread[], Fault>> {
  const list = await openThreadList(storage, scope);
  if (!list.ok) return list;
  const states = list.value.ids.map(list.value.state);
  return ok(states.filter((state) => state !== null));
}

/**
 * The same for who looks at some of them: the two files are read and checked, and nothing about a single thread until
 * it is asked for.
 */
export async function openThreadList(
  storage: Storage,
  { all }: { readonly all: boolean },
): Promise<Result<ThreadList, Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = indexHistory(storage, "");
  if (!history.ok) return history;
  const runs = attempt(() => new Set(folderNames(storage.paths.runs)));
  if (!runs.ok) return runs;
  const active = [...heads.value.keys()].filter(isThreadId).filter((thread) => !history.value.has(thread));
  // Each part is in order already, or nearly.
  const ids = [...active, ...(all ? history.value.ids() : [])].sort();
  const state = (thread: ThreadId): ListedThread | null => {
    const line = history.value.line(thread);
    if (line !== null) return all ? endedBy(line) : null;
    const head = heads.value.get(thread);
    if (head === undefined) return null;
    // No folder of its own, no `ending` in it.
    const found = runs.value.has(thread) ? listed(storage, thread, head) : standing(thread, head);
    return all || found.kind !== "ended" ? found : null;
  };
  return ok({ ids, state });
}

function listed(storage: Storage, thread: ThreadId, head: CasRef): ListedThread {
  const state = stateOf(storage, thread, { line: null, head });
  if (!state.ok) return { kind: "damaged", thread, head, damage: state.error };
  if (state.value !== null && state.value.kind === "ended") return state.value;
  const stuck = readStuck(storage, { thread, head });
  // Whether it is stuck is a note beside the thread: one that cannot be read keeps nobody from stepping it.
  return { ...standing(thread, head), stuck: stuck.ok ? stuck.value : null };
}

function standing(thread: ThreadId, head: CasRef): StandingThread {
  return { kind: "active", thread, head, stuck: null };
}
