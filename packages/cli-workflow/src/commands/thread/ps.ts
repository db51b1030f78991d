import { basename } from "node:path";
import { readPsItem } from "@uncaged/workflow-engine";
import { type Fault, ok, type Result, type ThreadId, type ThreadPsItem } from "@uncaged/workflow-protocol";
import { listLocks, type Storage, threadsWithRuns } from "@uncaged/workflow-store";
import { defineRootCommand } from "../../line/index.js";
import {
  ago,
  type ColumnOf,
  duration,
  left,
  paintOn,
  right,
  type Screen,
  shrinking,
  tableOf,
} from "../../screen/index.js";
import { readShortIds, workflowName } from "../known-names.js";
import { document } from "../output.js";

/** What runs now, anywhere in this storage root. Looks at locks and runs only, however many threads there are. */
export const command = defineRootCommand({
  path: "thread ps",
  summary: "print what runs now: thread, role, agent, since when, last sign of life",
  examples: ["uwf thread ps", "uwf thread ps | jq '.[] | [.thread, .run.role, .run.lastSignOfLife]'"],
  sample: { line: "thread ps", prints: "nothing is running" },
  run: async (_context, _request, storage) => {
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

async function psTable(screen: Screen, storage: Storage, items: readonly ThreadPsItem[]): Promise<string> {
  if (items.length === 0) return "nothing is running\n";
  const idOf = await readShortIds(storage);
  const { strong, busy, warn } = paintOn(screen);
  const columns: readonly ColumnOf<ThreadPsItem>[] = [
    [left("ID"), ({ thread }) => ({ text: idOf(thread), paint: strong })],
    [shrinking("WORKFLOW"), ({ workflow }) => (workflow === null ? "?" : workflowName(storage, workflow))],
    [shrinking("ROLE"), ({ run }) => ({ text: run?.role ?? "(between two runs)", paint: busy })],
    [shrinking("AGENT"), ({ run }) => (run === null ? "" : basename(run.agent))],
    [right("FOR"), ({ run }) => (run === null ? "" : duration(Math.max(0, screen.now - run.since)))],
    [
      right("LAST SIGN"),
      ({ run }) => (run?.lastSignOfLife == null ? "" : ago(Date.parse(run.lastSignOfLife), screen.now)),
    ],
    [
      left("PROCESS"),
      ({ uwf }) =>
        uwf === null
          ? { text: "uwf is gone", paint: warn }
          : `${uwf.pid}${uwf.judgement === "unknown" ? ` on ${uwf.host}` : ""}`,
    ],
  ];
  return tableOf(screen, columns, items);
}
