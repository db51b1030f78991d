import { statSync } from "node:fs";
import { type Fault, type Held, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  findHeld,
  findThread,
  type Storage,
  type ThreadState,
  threadRunsPath,
} from "@uncaged/workflow-store";

/** Looks between two readings of a thread of which nothing is seen to change: a time passes, or another thread moves. */
const SELDOM = 25;

/** Where a thread stands. */
export type Standing = { readonly state: ThreadState; readonly held: Held | null };

type Known = { readonly stamp: string; readonly standing: Standing; readonly looks: number };

/**
 * Where threads stand. A thread is read again when its folder has changed or the log has told of it (`isTouched`): what has
 * ended may be a large file.
 */
export function standingsReader(
  storage: Storage,
): (thread: ThreadId, isTouched: boolean) => Promise<Result<Standing, Fault>> {
  const known = new Map<ThreadId, Known>();
  return async (thread, isTouched) => {
    const stamp = stampOf(threadRunsPath(storage, thread));
    const before = known.get(thread);
    const looks = (before?.looks ?? 0) + 1;
    if (before?.stamp === stamp && !isTouched && looks % SELDOM !== 0) {
      known.set(thread, { ...before, looks });
      return ok(before.standing);
    }
    const standing = await readStanding(storage, thread);
    if (standing.ok) known.set(thread, { stamp, standing: standing.value, looks });
    return standing;
  };
}

/** Changes when a run begins or ends, and when hold.json, pause.json or `ending` comes or goes. */
function stampOf(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeMs}`;
}

async function readStanding(storage: Storage, thread: ThreadId): Promise<Result<Standing, Fault>> {
  const state = await findThread(storage, thread);
  if (!state.ok) return state;
  if (state.value.kind === "ended") return ok({ state: state.value, held: null });
  const held = await findHeld(storage, state.value);
  return held.ok ? ok({ state: state.value, held: held.value }) : held;
}
