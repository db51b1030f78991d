import { createFailure, type Failure, guarded } from "./failure.js";
import { end, joinCgroup } from "./members.js";
import { loadSpawn } from "./spawn.js";
import { startChild, trampolineRefusal } from "./start.js";
import type { ChildEnd, ChildOutcome, ChildSpec, Exit, Spawned, Started, WholeChildSpec } from "./types.js";
import { abortSignalName, monotonicMs, pauses, startWatch } from "./watch.js";

/**
 * Runs one command in a session and group of its own and returns how it ended. Every way in which a command can fail is
 * an outcome; only a callback that throws rejects, after the run was ended.
 *
 * The outcome is the direct child's: a grandchild that lives on, in the group or with an output in its hands, delays
 * nothing. Where we end the child (limit, abort, result seen), the whole run is gone before the outcome is given.
 */
export async function runChild(given: ChildSpec): Promise<ChildOutcome> {
  const spec = wholeSpec(given);
  const startedAt = monotonicMs();
  const ended = (pid: number | null, texts: Texts, how: ChildEnd): ChildOutcome => {
    return { pid, durationMs: Math.round(monotonicMs() - startedAt), ...texts, ...how };
  };
  if (spec.abort?.aborted) {
    return ended(null, NO_TEXTS, { kind: "aborted", signal: abortSignalName(spec.abort) });
  }
  const failure = createFailure();
  const started = await startChild(spec, await loadSpawn(), failure.fail);
  if (!started.ok) return ended(null, NO_TEXTS, started.error);
  const { child, outputs } = started.value;
  if (spec.cgroup !== null) joinCgroup(spec.cgroup, child.pid);
  try {
    const how = await follow(spec, started.value, failure);
    const texts = {
      stdout: outputs.stdout.finish(),
      stderr: outputs.stderr.finish(),
      isUtf8: outputs.stdout.isUtf8(),
    };
    failure.rethrow();
    const neverRan = how.kind === "not-startable" || how.kind === "io-failed";
    return ended(neverRan ? null : child.pid, texts, how);
  } finally {
    if (spec.stdin.kind === "pipe") spec.stdin.detach();
    outputs.stdout.close();
    outputs.stderr.close();
  }
}

function wholeSpec(given: ChildSpec): WholeChildSpec {
  const members = { pidFile: null, cgroup: null, lastActivity: null, onTick: null, resultSeen: null };
  const limits = { timeoutMs: null, idleMs: null, ...given.limits };
  return { ...members, abort: null, token: null, ...given, limits };
}

type Texts = Pick<ChildOutcome, "isUtf8" | "stderr" | "stdout">;

const NO_TEXTS: Texts = { stdout: null, stderr: null, isUtf8: true };

async function follow(
  spec: WholeChildSpec,
  { child, outputs }: Started,
  failure: Failure,
): Promise<ChildEnd> {
  const size = (): number => outputs.stdout.size() + outputs.stderr.size();
  const watch = startWatch(spec, size, failure.fail);
  const first = await Promise.race([child.exited, watch.stopped, failure.raised]);
  const stop = first !== undefined && "kind" in first ? first : null;
  if (first === undefined || stop !== null) {
    await endChild(spec, child, stop?.kind === "aborted" ? stop.signal : "SIGTERM");
  }
  watch.close();
  await drain(child, size);
  if (spec.onTick !== null) guarded(spec.onTick, failure.fail)();
  failure.rethrow();
  return stop ?? endOf(spec, child.pid, await child.exited);
}

// The group was ours a moment ago, so its pid is trusted.
async function endChild(spec: WholeChildSpec, child: Spawned, signal: NodeJS.Signals): Promise<void> {
  let collected = false;
  void child.exited.then(() => {
    collected = true;
  });
  const identity = { pid: child.pid, startTime: null, token: spec.token };
  await end({ identity, trustGroup: true, signal, graceMs: spec.limits.graceMs, gone: () => collected });
}

function endOf(spec: WholeChildSpec, pid: number, exit: Exit): ChildEnd {
  if (exit.code === null) return { kind: "signaled", signal: exit.signal ?? "SIGKILL" };
  const refusal = spec.pidFile === null ? null : trampolineRefusal(spec.pidFile, pid, exit.code);
  return refusal ?? { kind: "exited", code: exit.code };
}

const QUIET_MS = 50;

/** Output of a surviving grandchild is not read for longer than this. */
const MAX_ROUNDS = 20;

/**
 * Reads what the dead child has left in its pipes. They end at once, unless a grandchild holds them: then reading
 * stops when one turn of the event loop after a pause has brought nothing more.
 */
async function drain(child: Spawned, size: () => number): Promise<void> {
  let ended = false;
  const drained = child.drained.then(() => {
    ended = true;
  });
  const quiet = pauses(QUIET_MS);
  let before = -1;
  for (let round = 0; round < MAX_ROUNDS && !ended && before !== size(); round += 1) {
    before = size();
    await Promise.race([drained, quiet.pause()]);
  }
  quiet.clear();
  child.release();
}
