import { basename } from "node:path";
import type { ThreadPsItem } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import {
  ago,
  type Cell,
  duration,
  left,
  type Paint,
  paintOn,
  type Row,
  renderTable,
  right,
  type Screen,
  shrinking,
} from "../../screen/index.js";
import { readShortIds, workflowName } from "../known-ids.js";

const COLUMNS = [
  left("ID"),
  shrinking("WORKFLOW"),
  shrinking("ROLE"),
  shrinking("AGENT"),
  right("FOR"),
  right("LAST SIGN"),
  left("PROCESS"),
];

export async function psTable(
  screen: Screen,
  storage: Storage,
  items: readonly ThreadPsItem[],
): Promise<string> {
  if (items.length === 0) return "nothing is running\n";
  const idOf = await readShortIds(storage);
  const paint = paintOn(screen);
  const rows = items.map(({ thread, workflow, run, uwf }): Row => {
    const name = workflow === null ? "?" : workflowName(storage, workflow);
    return [
      { text: idOf(thread), paint: paint.strong },
      name,
      { text: run?.role ?? "(between two runs)", paint: paint.busy },
      run === null ? "" : basename(run.agent),
      run === null ? "" : duration(Math.max(0, screen.now - run.since)),
      run?.lastSignOfLife == null ? "" : ago(Date.parse(run.lastSignOfLife), screen.now),
      processCell(uwf, paint),
    ];
  });
  return renderTable(screen, COLUMNS, rows);
}

function processCell(uwf: ThreadPsItem["uwf"], paint: Paint): Cell {
  if (uwf === null) return { text: "uwf is gone", paint: paint.warn };
  const doubt = uwf.judgement === "unknown" ? ` on ${uwf.host}` : "";
  return `${uwf.pid}${doubt}`;
}
