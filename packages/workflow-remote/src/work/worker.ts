import type { Host } from "@uncaged/cli-workflow/add-on";
import { err, type Fault, messageOf, ok, type Result } from "@uncaged/workflow-protocol";
import { isOnRemote, openThreadList } from "@uncaged/workflow-store";
import type { Leased } from "../types.js";
import { fetchLeased, fetchNodes, placeFetched } from "./exchange.js";
import {
  isBeyond,
  type LeasedStepDeps,
  type Outcome,
  pushStep,
  pushWithdrawn,
  stepLeased,
  whoIs,
} from "./leased-step.js";
import { rootWords } from "./words.js";

export type WorkRequest = {
  /** How many threads at a time. */
  readonly jobs: number;
  /** Only threads of this workflow; `null`: of any. */
  readonly workflow: string | null;
  /** Ends when nothing is ready, running or due. */
  readonly untilIdle: boolean;
  /** Ends after this many steps; `null`: no bound. */
  readonly maxSteps: number | null;
  /** Seconds of silence after which this root counts as lost. */
  readonly leaseSeconds: number;
};

export type WorkFigures = {
  /** Steps that were pushed. */
  readonly steps: number;
  /** Steps that came too late. */
  readonly refused: number;
  /** Threads that were put aside because their step failed. */
  readonly failed: number;
};

type WorkerDeps = LeasedStepDeps & {
  readonly host: Pick<Host, "sleep" | "onSignal">;
  /** Is called at the start, and whenever the remote has heard of this root. */
  readonly renewed: () => void;
};

/** How long an idle worker waits before it asks again, in ms. */
const POLL_MS = 500;

/** The longest pause after a failure of the database, in ms. */
const LONGEST_PAUSE_MS = 30_000;

/** How often copies and folders are looked through, in ms. */
const TIDY_MS = 10 * 60 * 1000;

/** The state of one worker. */
type Shift = {
  steps: number;
  refused: number;
  /** Threads, or what is wrong with their rows. */
  readonly failed: Set<string>;
  /** Those that have failed since the last step. */
  readonly failing: Set<string>;
  /** Steps that have begun. */
  begun: number;
  /** When copies and folders are looked through again, epoch ms. */
  tidyAt: number;
  /** As far as is known. */
  isDatabaseAway: boolean;
  /** Threads that were at work when it went away. */
  readonly cutOff: Set<string>;
  /** No new step: a signal came, or the worker cannot go on. */
  draining: boolean;
  /** Another worker has the name of this root by now; `null`: none. */
  ousted: Fault | null;
  /** Settles when the last lease that was asked for is there, or none. */
  leasing: Promise<void>;
  /** Threads that this worker has, each with what ends its step. */
  readonly inFlight: Map<string, { readonly lease: number; readonly abort: AbortController }>;
};

/** Steps threads of the remote until it is stopped, or is done; it first finishes and pushes what runs. */
export async function work(deps: WorkerDeps, request: WorkRequest): Promise<Result<WorkFigures, Fault>> {
  const counts = { steps: 0, refused: 0, failed: new Set<string>(), begun: 0, isDatabaseAway: false };
  const shift: Shift = {
    ...counts,
    tidyAt: 0,
    draining: false,
    ousted: null,
    leasing: Promise.resolve(),
    inFlight: new Map(),
    cutOff: new Set(),
    failing: new Set(),
  };
  const drained = new AbortController();
  const stop = deps.host.onSignal(() => {
    if (!shift.draining && shift.inFlight.size > 0) deps.tell("no new step: what runs is finished first");
    shift.draining = true;
    drained.abort();
  });
  const over = new AbortController();
  const pause = (ms: number): Promise<void> => unless(drained.signal, deps.host.sleep(ms));
  try {
    const announced = await announce(deps, request);
    if (!announced.ok) return announced;
    deps.renewed();
    const taken = await pushPaused(deps, shift);
    if (!taken.ok) return taken;
    await tidy(deps, shift);
    const beating = beat(deps, shift, (request.leaseSeconds * 1000) / 3, over.signal);
    const loops = Array.from({ length: request.jobs }, () => loop(deps, request, shift, pause));
    const ends = await Promise.all(loops);
    over.abort();
    await beating;
    const failure = ends.find((end) => !end.ok);
    // What this root still has may have run here: only its next worker, or its lost lease, lets a step run again.
    const left = await deps.remote.leave(deps.root);
    if (shift.ousted !== null) return err(shift.ousted);
    if (failure !== undefined && !failure.ok) return failure;
    if (!left.ok) return left;
    const { steps, refused, failed } = shift;
    return ok({ steps, refused, failed: failed.size });
  } finally {
    over.abort();
    stop();
  }
}

/** What an earlier worker of this root had finished of threads that were paused meanwhile, which `leaseNext` does not give. */
async function pushPaused(deps: WorkerDeps, shift: Shift): Promise<Result<void, Fault>> {
  const leases = await deps.remote.heartbeat(deps.root);
  if (!leases.ok) return leases;
  for (const thread of leases.value.keys()) {
    const there = await deps.remote.find(thread);
    if (there.ok && there.value.paused === null) continue;
    const leased = there.ok ? await deps.remote.leaseThread(thread, deps.root) : there;
    if (!leased.ok) {
      // No uwf has written the row: if the thread is not paused, it is put aside when it is leased.
      if (leased.error.code === "REMOTE_FAILED") return leased;
      deps.warn(messageOf(leased.error));
      continue;
    }
    if (leased.value === null) continue;
    const placed = await fetchLeased(deps, leased.value);
    // What has not finished stays leased, and goes on when the thread is resumed.
    if (!placed.ok || !isBeyond(placed.value)) continue;
    const done = await pushStep(deps, leased.value, placed.value, { adopted: "worker" });
    if (!done.ok) return done;
    count(shift, thread, done.value);
  }
  return ok(undefined);
}

/** Copies and folders of threads that others went on with. Done at the start and by an idle worker; usually there are none. */
async function tidy(deps: WorkerDeps, shift: Shift): Promise<void> {
  const { workspaces, remote, storage } = deps;
  if (storage.now() < shift.tidyAt) return;
  shift.tidyAt = storage.now() + TIDY_MS;
  await catchUp(deps);
  const here = workspaces.list();
  if (here.length === 0) return;
  const active = await remote.active(here.map(({ thread }) => thread));
  if (!active.ok) return;
  for (const each of here) if (!active.value.has(each.thread)) await each.remove();
}

async function announce(deps: WorkerDeps, { leaseSeconds }: WorkRequest): Promise<Result<void, Fault>> {
  const announced = await deps.remote.announce({ ...whoIs(deps), place: deps.place, leaseSeconds });
  if (!announced.ok) return announced;
  if (announced.value !== null) {
    deps.warn(
      `the worker of ${rootWords(announced.value)}, under the name of this storage root, is lost: steps that it had begun run again`,
    );
  }
  return ok(undefined);
}

function unless(signal: AbortSignal, work: Promise<void>): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stopped = (): void => resolve();
    signal.addEventListener("abort", stopped, { once: true });
    void work.then(() => {
      signal.removeEventListener("abort", stopped);
      resolve();
    });
  });
}

/** Renews the leases, and ends steps whose thread somebody has killed or taken. */
async function beat(deps: WorkerDeps, shift: Shift, everyMs: number, over: AbortSignal): Promise<void> {
  const interval = Math.min(everyMs, 5_000);
  while (!over.aborted) {
    await unless(over, deps.host.sleep(interval));
    if (over.aborted) return;
    const before = [...shift.inFlight];
    const leases = await deps.remote.heartbeat(deps.root);
    if (!leases.ok) {
      if (leases.error.code === "ROOT_NAME_TAKEN") oust(shift, leases.error);
      continue;
    }
    deps.renewed();
    for (const [thread, { lease, abort }] of before) {
      if (leases.value.get(thread) !== lease) abort.abort();
    }
  }
}

/** Aborts what runs: the worker that took this root's name leases it again, so it would be paid for twice. */
function oust(shift: Shift, by: Fault): void {
  shift.ousted = by;
  shift.draining = true;
  for (const { abort } of shift.inFlight.values()) abort.abort();
}

async function loop(
  deps: WorkerDeps,
  request: WorkRequest,
  shift: Shift,
  pause: (ms: number) => Promise<void>,
): Promise<Result<void, Fault>> {
  const { workflow, untilIdle, maxSteps } = request;
  let failures = 0;
  while (!shift.draining && (maxSteps === null || shift.begun < maxSteps)) {
    shift.begun += 1;
    // During a long outage of the database, `remote gc` may have removed this root as lost.
    const known = failures === 0 ? ok(undefined) : await announce(deps, request);
    const worked = known.ok ? await leaseOne(deps, shift, workflow) : known;
    if (!worked.ok) {
      shift.begun -= 1;
      if (worked.error.code !== "REMOTE_FAILED") {
        shift.draining = true;
        return worked;
      }
      failures += 1;
      if (!shift.isDatabaseAway) deps.warn(`${messageOf(worked.error)}; trying again until it answers`);
      shift.isDatabaseAway = true;
      await pause(Math.min(1_000 * 2 ** (failures - 1), LONGEST_PAUSE_MS));
      continue;
    }
    failures = 0;
    if (worked.value === "stepped") continue;
    shift.begun -= 1;
    if (worked.value === "passed") continue;
    await tidy(deps, shift);
    const busy = untilIdle ? await deps.remote.isBusy(workflow) : ok(true);
    if (busy.ok && !busy.value) return ok(undefined);
    await pause(POLL_MS);
  }
  return ok(undefined);
}

async function leaseNext(
  { remote, root }: WorkerDeps,
  shift: Shift,
  workflow: string | null,
  abort: AbortController,
): Promise<Result<Leased | null, Fault>> {
  const leased = await remote.leaseNext({ root, inFlight: [...shift.inFlight.keys()], workflow });
  if (leased.ok && leased.value !== null) {
    shift.inFlight.set(leased.value.thread, { lease: leased.value.lease, abort });
  }
  return leased;
}

/** `passed`: a thread that needed no step, or could have none now. */
type Worked = "stepped" | "passed" | "nothing";

function count(shift: Shift, thread: string, outcome: Outcome): Worked {
  if (outcome.kind === "stepped") {
    shift.steps += outcome.steps;
    shift.failing.clear();
  }
  if (outcome.kind === "refused") shift.refused += 1;
  if (outcome.kind === "failed") shift.failed.add(thread);
  return outcome.kind === "stepped" ? "stepped" : "passed";
}

async function leaseOne(
  deps: WorkerDeps,
  shift: Shift,
  workflow: string | null,
): Promise<Result<Worked, Fault>> {
  const abort = new AbortController();
  // One after the other: a thread that is just being leased by another loop would look like one of a worker that died.
  const leasing = shift.leasing.then(() => leaseNext(deps, shift, workflow, abort));
  shift.leasing = leasing.then(() => undefined);
  const given = await leasing;
  if (!given.ok && given.error.code === "INVALID_INPUT") {
    // The remote has put the row aside.
    const sentence = messageOf(given.error);
    deps.warn(sentence);
    shift.failed.add(sentence);
    return ok("passed");
  }
  if (!given.ok) return given;
  if (shift.isDatabaseAway) deps.tell("the remote's database answers again");
  shift.isDatabaseAway = false;
  const leased = given.value;
  if (leased === null) return ok("nothing");
  try {
    const wasCutOff = shift.cutOff.delete(leased.thread);
    const done = await stepLeased(deps, leased, { stop: abort.signal, wasCutOff, failing: shift.failing });
    if (!done.ok && done.error.code === "REMOTE_FAILED") shift.cutOff.add(leased.thread);
    return done.ok ? ok(count(shift, leased.thread, done.value)) : done;
  } finally {
    shift.inFlight.delete(leased.thread);
  }
}

/**
 * Brings threads that others went on with to where the remote has them: what has ended there ends here, and a step of this
 * root that was never pushed is given up. Usually there are none.
 */
async function catchUp(deps: LeasedStepDeps): Promise<void> {
  const { storage, remote, root } = deps;
  const list = await openThreadList(storage, { all: false });
  if (!list.ok) return deps.warn(messageOf(list.error));
  // Nothing is read of the others, which may be many.
  const copies = list.value.ids.filter((thread) => isOnRemote(storage, thread)).map(list.value.state);
  const here = copies.filter((copy) => copy !== null && copy.kind !== "damaged");
  if (here.length === 0) return;
  const astray = await remote.astray(
    root,
    here.map(({ thread, head }) => ({ thread, head })),
  );
  // The worker's loops find out, and say so.
  if (!astray.ok) return;
  for (const there of astray.value) {
    const nodes = await fetchNodes(deps, there);
    const brought = nodes.ok ? await placeFetched(storage, there, null) : nodes;
    const withdrawn = brought.ok ? brought.value.withdrawn : null;
    const done = withdrawn === null ? brought : await pushWithdrawn(deps, there, withdrawn);
    if (done.ok) continue;
    if (done.error.code === "REMOTE_FAILED") return;
    // An agent of a killed worker may still be running in it: then next time.
    if (done.error.code !== "THREAD_BUSY") deps.warn(messageOf(done.error));
  }
}
