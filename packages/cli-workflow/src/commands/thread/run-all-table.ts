import type { RunAllItem, RunAllOutput, SeenState } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import {
  counted,
  left,
  lines,
  type Paint,
  paintOn,
  type Row,
  renderTable,
  right,
  type Screen,
  shrinking,
  stateCell,
} from "../../screen/index.js";
import { readShortIds } from "../known-ids.js";

const COLUMNS = [left("THREAD"), right("STEPS"), left("STATE"), shrinking("WHAT IS WRONG")];

/** The threads that were stepped, and how many were passed over. */
export async function runAllTable(
  screen: Screen,
  storage: Storage,
  { threads, held, busy, left: rest }: RunAllOutput,
): Promise<string> {
  const idOf = await readShortIds(storage);
  const paint = paintOn(screen);
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
      threads.map((item) => rowOf(item, idOf, paint)),
    ) + lines(screen, [over === "" ? nothing : { text: over, paint: paint.dim }])
  );
}

function rowOf({ thread, steps, state, error }: RunAllItem, idOf: (id: string) => string, paint: Paint): Row {
  return [idOf(thread), String(steps), stateCell(SEEN[state], paint), error?.message ?? ""];
}

/** A thread that is busy is stepped by somebody else. */
const SEEN: Readonly<Record<RunAllItem["state"], SeenState>> = {
  active: "active",
  ended: "ended",
  held: "held",
  busy: "running",
  failed: "failing",
};
