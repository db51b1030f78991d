import type { ThreadId } from "@uncaged/workflow-protocol";
import {
  attempt,
  findRuns,
  judgeHolder,
  readEnding,
  readHolder,
  type Storage,
  threadsWithRuns,
} from "@uncaged/workflow-store";
import { type RunState, runState } from "../../holders/index.js";
import { bounded, type Found, faulty, fine, warning } from "./findings.js";

/** Each costs a look through the list of processes. */
const MAX_THREADS = 200;

/** Runs under way, runs that nobody waits for any more, and archives that are not complete. */
export function checkRuns(storage: Storage): readonly Found[] {
  const threads = threadsWithRuns(storage);
  if (!threads.ok) return [faulty("runs", threads.error)];
  const found = threads.value.slice(0, MAX_THREADS).flatMap((thread) => checkThread(storage, thread));
  const going = found.filter(({ finding }) => finding.status === "ok").length;
  const wrong = found.filter(({ finding }) => finding.status !== "ok");
  return bounded([fine("runs", going === 0 ? "no run is under way" : `${going} under way`), ...wrong]);
}

function checkThread(storage: Storage, thread: ThreadId): readonly Found[] {
  const ending = readEnding(storage, thread);
  if (!ending.ok) return [faulty("runs", ending.error)];
  const holder = attempt(() => readHolder(storage, thread));
  if (!holder.ok) return [faulty("runs", holder.error)];
  const judgement = holder.value === null ? "dead" : judgeHolder(holder.value);
  if (judgement !== "dead") return [fine("runs", `a process holds thread ${thread}`)];
  if (ending.value !== null) {
    const message = `thread ${thread} has ended (${ending.value.reason}), but its archive is not complete`;
    return [warning("runs", message, `complete it: \`uwf thread kill ${thread}\``)];
  }
  const runs = findRuns(storage, thread);
  if (!runs.ok) return [faulty("runs", runs.error)];
  return runs.value.map((run) => left(thread, runState(run, { elsewhere: false })));
}

/** A run whose uwf is gone. */
function left(thread: ThreadId, { run, agentAlive }: RunState): Found {
  const { role, startedAt } = run.record;
  const what = `the run of thread ${thread} as ${role} of ${new Date(startedAt).toISOString()} has lost its uwf`;
  if (agentAlive !== false) {
    const message = `${what}; its agent still works, and the next step takes its result`;
    return warning(
      "runs",
      message,
      `wait for it, \`uwf thread step ${thread} --wait\`, or end the thread, \`uwf thread kill ${thread}\``,
    );
  }
  const message = `${what}, and its agent has ended`;
  return warning(
    "runs",
    message,
    `\`uwf thread step ${thread}\` takes the result over, or runs the role again`,
  );
}
