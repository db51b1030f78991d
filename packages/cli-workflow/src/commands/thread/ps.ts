import { basename } from "node:path";
import { readPsItem } from "@uncaged/workflow-engine";
import { type Fault, ok, type Result, type ThreadId, type ThreadPsItem } from "@uncaged/workflow-protocol";
import { listLocks, type Storage, threadsWithRuns } from "@uncaged/workflow-store";
import { defineCommand } from "../../line/index.js";
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
import { readShortIds, workflowName } from "../known-names.js";
import { document } from "../output.js";

/** What runs now, anywhere in this storage root. Looks at locks and runs only, however many threads there are. */
export const command = defineCommand({
  path: "thread ps",
  summary: "print what runs now: thread, role, agent, since when, last sign of life",
  examples: ["uwf thread ps", "uwf thread ps | jq '.[] | [.thread, .run.role, .run.lastSignOfLife]'"],
  exits: ["OLDER_ROOT"],
  sample: { line: "thread ps", prints: "nothing is running" },
  run: async (context) => {
    const opened = context.openStorage();
    if (!opened.ok) return opened;
    const storage = opened.value;
    const threads = busyThreads(storage);
    if (!threads.ok) return threads;
    const items: ThreadPsItem[] = [];
    for (const thread of threads.value) {
      const item = await readPsItem(storage, thread);
      if (!item.ok) return item;
      if (item.value !== null) items.push(item.value);
    }
    return document(items, (screen) => psTable(screen, storage, items));
  },
});

/** Every thread that has a lock or a run, by id. */
function busyThreads(storage: Storage): Result<readonly ThreadId[], Fault> {
  const locks = listLocks(storage);
  if (!locks.ok) return locks;
  const running = threadsWithRuns(storage);
  if (!running.ok) return running;
  const locked = locks.value.flatMap((lock) => (lock.kind === "thread" ? [lock.thread] : []));
  return ok([...new Set([...locked, ...running.value])].sort());
}

const COLUMNS = [
  left("ID"),
  shrinking("WORKFLOW"),
  shrinking("ROLE"),
  shrinking("AGENT"),
  right("FOR"),
  right("LAST SIGN"),
  left("PROCESS"),
];

async function psTable(screen: Screen, storage: Storage, items: readonly ThreadPsItem[]): Promise<string> {
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
