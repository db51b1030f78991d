import { builtInTypes } from "@uncaged/json-cas";
import { classifyHolder, describeHolder } from "@uncaged/json-cas-fs";
import { type RunState, runState, verdictSentence } from "@uncaged/workflow-engine";
import { messageOf, type ThreadId } from "@uncaged/workflow-protocol";
import {
  attempt,
  type BrokenInThread,
  brokenInThreads,
  findKeyedThread,
  findRuns,
  type LockFile,
  listLocks,
  openThreadList,
  readFamily,
  readHolder,
  readThreadRecord,
  type Storage,
  threadsWithRuns,
} from "@uncaged/workflow-store";
import { bounded, type Found, failing, faulty, fine, warning } from "./findings.js";

/** Which process holds which lock, and whether it is alive. */
export function checkLocks(storage: Storage): readonly Found[] {
  const locks = listLocks(storage);
  if (!locks.ok) return [faulty("locks", locks.error)];
  const alive = locks.value.filter(({ kind, holder }) => kind !== "litter" && holder.judgement === "alive");
  const others = locks.value.filter(({ holder }) => holder.judgement !== "alive");
  const held =
    alive.length === 0 ? "no living process holds a lock" : `${alive.length} held by living processes`;
  return bounded([fine("locks", held), ...others.map(notAlive)]);
}

function notAlive(lock: LockFile): Found {
  const { file, holder } = lock;
  const by = `${describeHolder(holder)}; ${verdictSentence(holder)}`;
  const held = (what: string, fix: string): Found => warning("locks", `${what} is held by ${by}`, fix);
  if (lock.kind === "litter")
    return warning("locks", `${file} was left by ${by}`, "run `uwf cas verify --repair`");
  if (lock.kind === "worker")
    return held("the worker's lock", `start the next worker, or remove ${file} if none runs`);
  const what = lock.kind === "index" ? "the index" : `thread ${lock.thread}`;
  const command = `uwf thread unlock ${lock.kind === "index" ? "--index" : lock.thread}`;
  return held(
    `the lock of ${what}`,
    holder.judgement === "dead"
      ? `run \`${command}\`, or leave it to the next command`
      : `if that process is gone, run \`${command} --force\``,
  );
}

/** At most this many nodes are checked; `uwf cas verify` checks all. */
const MAX_NODES = 10_000;

/** One command line names no more. */
const MOST_NAMED = 20;

/** Our own types whose place in the store has something else. */
export function checkTypes({ cas }: Storage): readonly Found[] {
  return [...builtInTypes.keys()].flatMap((type) => {
    const read = attempt(() => cas.get(type));
    if (read.ok || read.error.code !== "NODE_DAMAGED") return [];
    return [failing("types", messageOf(read.error), "run `uwf cas verify --repair`", 7)];
  });
}

/** Checks that what steps refer to exists. An unreadable list of threads has its own finding. */
export async function checkReferences(storage: Storage): Promise<readonly Found[]> {
  const looked = await brokenInThreads(storage, MAX_NODES);
  if (!looked.ok) return [];
  const { broken, isWhole } = looked.value;
  if (broken.length === 0) return [fine("references", isWhole ? ALL : SOME)];
  const gone = new Set(broken.filter(isGone).map(({ hash }) => hash));
  const flags = [...gone].slice(0, MOST_NAMED).map((hash) => ` --accept-missing ${hash}`);
  const goOn = `\`uwf cas gc${flags.join("")}\` continues without what is gone; or ${RESTORE}`;
  return bounded(
    broken.map((found) =>
      failing("references", sentence(found), isGone(found) ? goOn : `${RESTORE}; ${NAMES}`, 7),
    ),
  );
}

const ALL = "everything that steps refer to exists";
const SOME = `the first ${MAX_NODES} nodes that steps refer to exist; \`uwf cas verify\` checks all`;
const RESTORE = "restore the node from a backup, or import an export that has it";
const NAMES = "`uwf cas verify` lists every damaged node";

function sentence({ thread, step, role, field, hash, reason }: BrokenInThread): string {
  return `field ${field} of step ${step} (${role}) of thread ${thread} refers to ${hash}, which ${reason}`;
}

function isGone({ reason }: BrokenInThread): boolean {
  return reason === "does not exist";
}

/** Each costs a look through the list of processes. */
const MAX_THREADS = 200;

/** Current runs, runs that no process waits for any more, and incomplete archives. */
export function checkRuns(storage: Storage): readonly Found[] {
  const threads = threadsWithRuns(storage);
  if (!threads.ok) return [faulty("runs", threads.error)];
  const found = threads.value.slice(0, MAX_THREADS).flatMap((thread) => checkThread(storage, thread));
  const going = found.filter(({ finding }) => finding.status === "ok").length;
  const wrong = found.filter(({ finding }) => finding.status !== "ok");
  return bounded([fine("runs", going === 0 ? "no run is under way" : `${going} under way`), ...wrong]);
}

function checkThread(storage: Storage, thread: ThreadId): readonly Found[] {
  const ending = readThreadRecord(storage, thread, "ending");
  if (!ending.ok) return [faulty("runs", ending.error)];
  const holder = attempt(() => readHolder(storage, thread));
  if (!holder.ok) return [faulty("runs", holder.error)];
  const judgement = holder.value === null ? "dead" : classifyHolder(holder.value);
  if (judgement !== "dead") return [fine("runs", `a process holds thread ${thread}`)];
  if (ending.value !== null) {
    const message = `thread ${thread} has ended (${ending.value.reason}), but it is not archived completely`;
    return [warning("runs", message, `complete it: \`uwf thread kill ${thread}\``)];
  }
  const runs = findRuns(storage, thread);
  if (!runs.ok) return [faulty("runs", runs.error)];
  return runs.value.map((run) => left(thread, runState(run, { elsewhere: false })));
}

/** A run whose uwf is gone. */
function left(thread: ThreadId, { run, agentAlive }: RunState): Found {
  const { role, startedAt } = run.record;
  const what = `the run of thread ${thread} as ${role}, started ${new Date(startedAt).toISOString()}, has lost its uwf`;
  if (agentAlive !== false) {
    const message = `${what}; its agent is still working, and the next step takes its result over`;
    const fix = `wait for it (\`uwf thread step ${thread} --wait\`) or end the thread (\`uwf thread kill ${thread}\`)`;
    return warning("runs", message, fix);
  }
  const fix = `\`uwf thread step ${thread}\` takes the result over, or runs the role again`;
  return warning("runs", `${what}, and its agent has ended`, fix);
}

/** Threads that still work for one that has ended: a kill was cut short before it came to them. */
export async function checkChildren(storage: Storage): Promise<readonly Found[]> {
  const family = readFamily(storage);
  if (!family.ok) return [faulty("children", family.error)];
  // Reads all lines of keys.jsonl, whatever the key.
  const keys = await findKeyedThread(storage, "");
  if (!keys.ok) return [faulty("keys", keys.error)];
  if (family.value.lines.length === 0) return [];
  const list = await openThreadList(storage, { all: true });
  if (!list.ok) return [];
  const stateOf = (thread: ThreadId): string | null => list.value.state(thread)?.kind ?? null;
  const orphans = family.value.lines.filter(
    ({ child, parent }) => stateOf(child) === "active" && stateOf(parent) === "ended",
  );
  if (orphans.length === 0) return [fine("children", "every active child thread has an active parent")];
  return bounded(
    orphans.map(({ child, parent }) =>
      warning(
        "children",
        `thread ${child} works for thread ${parent}, which has ended`,
        `\`uwf thread kill ${parent}\` ends the threads below it; or let it end: \`uwf thread run ${child}\``,
      ),
    ),
  );
}
