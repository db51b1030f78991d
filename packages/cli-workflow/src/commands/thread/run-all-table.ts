import { withThreadViews } from "@uncaged/workflow-engine";
import type { RunAllItem, RunAllOutput, SeenState, ThreadId } from "@uncaged/workflow-protocol";
import { openThreadList, type Storage } from "@uncaged/workflow-store";
import {
  counted,
  left,
  lines,
  paintOn,
  renderTable,
  right,
  type Screen,
  shrinking,
  stateCell,
} from "../../screen/index.js";
import { readShortIds } from "../known-ids.js";

const COLUMNS = [left("THREAD"), right("STEPS"), left("STATE"), shrinking("WHAT IS WRONG")];

/** The threads that were stepped, with what each is now, and how many were passed over. */
export async function runAllTable(
  screen: Screen,
  storage: Storage,
  { threads, held, busy, left: rest }: RunAllOutput,
): Promise<string> {
  const idOf = await readShortIds(storage);
  const paint = paintOn(screen);
  const states = await readStates(storage, threads);
  const passed = [
    held === 0 ? "" : `${counted(held, "thread")} held`,
    busy === 0 ? "" : `${busy} busy`,
    rest === 0 ? "" : `${rest} left`,
  ];
  const over = passed.filter((text) => text !== "").join(", ");
  const nothing = threads.length === 0 && over === "" ? "there is nothing to do" : null;
  return (
    renderTable(
      screen,
      COLUMNS,
      threads.map(({ thread, steps, error }) => {
        const state = states.get(thread);
        const shown = state === undefined ? "?" : stateCell(state, paint);
        return [idOf(thread), String(steps), shown, error?.message ?? ""];
      }),
    ) + lines(screen, [over === "" ? nothing : { text: over, paint: paint.dim }])
  );
}

/** Those that can be read. */
async function readStates(
  storage: Storage,
  threads: readonly RunAllItem[],
): Promise<ReadonlyMap<ThreadId, SeenState>> {
  const states = new Map<ThreadId, SeenState>();
  const list = await openThreadList(storage, { all: true });
  if (!list.ok) return states;
  await withThreadViews(storage, async (views) => {
    for (const { thread } of threads) {
      const listed = list.value.state(thread);
      if (listed !== null) states.set(thread, (await views.of(listed)).state);
    }
  });
  return states;
}
