import {
  type CasRef,
  err,
  type Fault,
  fault,
  messageOf,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import type { Leased, RemoteHold, RootNames } from "@uncaged/workflow-remote";
import { hostName, type PlacedThread, placeThread, readHold } from "@uncaged/workflow-store";
import type { Answer, Uwf } from "../children/index.js";
import { counted } from "../human/index.js";
import type { Host, Messages } from "../io.js";
import { type Ends, giveBack, roleAt, type TakenIn, takeIn } from "./exchange.js";
import { runsOf } from "./log-lines.js";
import { type AwaitedChildren, childrenAwaited } from "./wait.js";
import { holdWords, isTriedAgain, rootWords } from "./words.js";
import type { Workspaces } from "./workspace.js";

export type WorkRequest = {
  /** How many threads at a time. */
  readonly jobs: number;
  /** Only threads of this workflow; `null`: of any. */
  readonly workflow: string | null;
  /** Ends when nothing is ready, running or due. */
  readonly untilIdle: boolean;
  /** Ends after this many steps; `null`: no bound. */
  readonly maxSteps: number | null;
  /** After which silence this root counts as lost, in seconds. */
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

export type WorkerDeps = Ends &
  Messages & {
    readonly host: Pick<Host, "sleep" | "onSignal">;
    readonly root: string;
    readonly workspaces: Workspaces;
    /** Is called at the start, and whenever the remote has heard of this root. */
    readonly heard: () => void;
    /** uwf on this root for a thread that it leases, ended when the signal says so. */
    readonly uwf: (thread: string, stop: AbortSignal) => Uwf;
  };

/** How long an idle worker waits before it asks again, in ms. */
const POLL_MS = 500;

/** The longest pause after a failure of the database, in ms. */
const LONGEST_PAUSE_MS = 30_000;

/** When a thread that is busy here, or that waits for what only this root can see, is looked at again, in seconds. */
const SOON = 2;
const LATER = 30;

/** How often folders are looked through, in ms. */
const TIDY_MS = 10 * 60 * 1000;

/** What is wrong with this root, not with a thread: every other thread would be put aside for it, too. */
const UNFIT: ReadonlySet<string> = new Set([
  "NO_AGENT",
  "ALIAS_UNDEFINED",
  "AGENT_NOT_FOUND",
  "AGENT_NOT_STARTABLE",
  "INVALID_CONFIG",
  "NO_API_KEY",
  "ROOT_NOT_TRUSTED",
  "SANDBOX_UNAVAILABLE",
  "GIT_UNUSABLE",
]);

/** The state of one worker. */
type Shift = {
  steps: number;
  refused: number;
  /** Threads. */
  readonly failed: Set<string>;
  /** Steps that have begun. */
  begun: number;
  /** When folders are looked through again, epoch ms. */
  tidyAt: number;
  /** No new step: a signal came. */
  draining: boolean;
  /** Settles when the last claim that was asked for is there. */
  claiming: Promise<void>;
  /** Threads that this worker has, each with what ends its step. */
  readonly inFlight: Map<string, { readonly lease: number; readonly abort: AbortController }>;
};

/** Steps threads of the remote until it is told to stop, or is done; what runs is finished and pushed first. */
export async function work(deps: WorkerDeps, request: WorkRequest): Promise<Result<WorkFigures, Fault>> {
  const counts = { steps: 0, refused: 0, failed: new Set<string>(), begun: 0, tidyAt: 0 };
  const shift: Shift = { ...counts, draining: false, claiming: Promise.resolve(), inFlight: new Map() };
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
    deps.heard();
    const taken = await pushPaused(deps, shift);
    if (!taken.ok) return taken;
    const beating = beat(deps, shift, (request.leaseSeconds * 1000) / 3, over.signal);
    const loops = Array.from({ length: request.jobs }, () => loop(deps, request, shift, pause));
    const ends = await Promise.all(loops);
    over.abort();
    await beating;
    const failure = ends.find((end) => !end.ok);
    // What this root still has may have run here: only its next worker, or its lost lease, lets a step run again.
    const left = await deps.remote.leave(deps.root);
    if (failure !== undefined && !failure.ok) return failure;
    if (!left.ok) return left;
    const { steps, refused, failed } = shift;
    return ok({ steps, refused, failed: failed.size });
  } finally {
    over.abort();
    stop();
  }
}

/** What an earlier worker of this root had finished of threads that were paused meanwhile: no claim gives them. */
async function pushPaused(deps: WorkerDeps, shift: Shift): Promise<Result<void, Fault>> {
  const leases = await deps.remote.heartbeat(deps.root);
  if (!leases.ok) return leases;
  for (const thread of leases.value.keys()) {
    const there = await deps.remote.find(thread);
    if (!there.ok) return there;
    if (there.value.paused === null) continue;
    const leased = await deps.remote.claimThread(thread, deps.root);
    if (!leased.ok) return leased;
    if (leased.value === null) continue;
    const placed = await takeIn(deps, leased.value);
    // What has not finished stays leased, and goes on when the thread is resumed.
    if (!placed.ok || !isBeyond(placed.value)) continue;
    const done = await pushed(deps, shift, leased.value, placed.value, { adopted: true });
    if (!done.ok) return done;
  }
  return ok(undefined);
}

/** Folders of threads that have ended elsewhere. Is called by an idle worker, and seldom does anything. */
async function tidy({ workspaces, remote, storage }: WorkerDeps, shift: Shift): Promise<void> {
  if (storage.now() < shift.tidyAt) return;
  shift.tidyAt = storage.now() + TIDY_MS;
  const here = workspaces.list();
  if (here.length === 0) return;
  const active = await remote.active(here.map(({ thread }) => thread));
  if (!active.ok) return;
  for (const each of here) if (!active.value.has(each.thread)) await each.remove();
}

function announce(deps: WorkerDeps, { leaseSeconds }: WorkRequest): Promise<Result<void, Fault>> {
  return deps.remote.announce({ ...whoIs(deps), leaseSeconds });
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
    if (!leases.ok) continue;
    deps.heard();
    for (const [thread, { lease, abort }] of before) {
      if (leases.value.get(thread) !== lease) abort.abort();
    }
  }
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
    // While the database was away for long, `remote gc` may have taken this root for gone.
    const known = failures === 0 ? ok(undefined) : await announce(deps, request);
    const worked = known.ok ? await takeOne(deps, shift, workflow) : known;
    if (!worked.ok) {
      shift.begun -= 1;
      if (worked.error.code !== "REMOTE_FAILED") {
        shift.draining = true;
        return worked;
      }
      failures += 1;
      deps.warn(`${messageOf(worked.error)}; trying again`);
      await pause(Math.min(1_000 * 2 ** (failures - 1), LONGEST_PAUSE_MS));
      continue;
    }
    if (failures > 0) deps.tell("the remote's database answers again");
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

async function claim(
  { remote, root }: WorkerDeps,
  shift: Shift,
  workflow: string | null,
  abort: AbortController,
): Promise<Result<Leased | null, Fault>> {
  const claimed = await remote.claim({ root, inFlight: [...shift.inFlight.keys()], workflow });
  if (claimed.ok && claimed.value !== null) {
    shift.inFlight.set(claimed.value.thread, { lease: claimed.value.lease, abort });
  }
  return claimed;
}

/** `passed`: a thread that needed no step, or could have none now. */
type Worked = "stepped" | "passed" | "nothing";

async function takeOne(
  deps: WorkerDeps,
  shift: Shift,
  workflow: string | null,
): Promise<Result<Worked, Fault>> {
  const abort = new AbortController();
  // One after the other: a thread that another loop is being given would look like one of a worker that died.
  const claiming = shift.claiming.then(() => claim(deps, shift, workflow, abort));
  shift.claiming = claiming.then(() => undefined);
  const claimed = await claiming;
  if (!claimed.ok) return claimed;
  const leased = claimed.value;
  if (leased === null) return ok("nothing");
  try {
    return await workOn(deps, shift, leased, abort.signal);
  } finally {
    shift.inFlight.delete(leased.thread);
  }
}

async function workOn(
  deps: WorkerDeps,
  shift: Shift,
  leased: Leased,
  stop: AbortSignal,
): Promise<Result<Worked, Fault>> {
  const { thread } = leased;
  if (leased.lost !== null) {
    deps.warn(
      `thread ${thread} was taken from ${rootWords(leased.lost)}, which is lost: a step that it had begun runs again`,
    );
  }
  const placed = await takeIn(deps, leased);
  if (!placed.ok) {
    const { error } = placed;
    return error.code === "REMOTE_FAILED" ? placed : putAside(deps, shift, leased, failureOf(error));
  }
  if (placed.value.withdrawn !== null) {
    const withdrawn = await giveUp(deps, leased, { ...placed.value, head: placed.value.withdrawn });
    if (!withdrawn.ok) return withdrawn;
  }
  // An earlier worker of this root had finished a step that it could not push.
  if (isBeyond(placed.value)) return pushed(deps, shift, leased, placed.value, { adopted: true });
  const opened = await deps.workspaces.open(leased, placed.value.withdrawn !== null);
  if (!opened.ok) {
    const { error } = opened;
    if (UNFIT.has(error.code)) return unfit(deps, leased, messageOf(error));
    return putAside(deps, shift, leased, failureOf(error));
  }
  const answer = await deps.uwf(thread, stop)(["thread", "step", thread, "--expect", leased.head], null);
  const after = await placeThread(deps.storage, {
    thread: thread as ThreadId,
    head: placed.value.head,
    folder: null,
  });
  if (after.ok && isBeyond(after.value)) {
    const { known } = placed.value;
    return pushed(deps, shift, leased, { ...after.value, known }, { code: answer.code });
  }
  // They begin with what its folder has now.
  const keep = () => deps.workspaces.keep(leased, leased.head, false);
  const children = answer.code === 9 ? await childrenAwaited(deps.storage, leased, keep) : ok(null);
  if (!children.ok) return putAside(deps, shift, leased, failureOf(children.error));
  if (children.value !== null) return waitFor(deps, leased, children.value);
  const code = codeIn(answer);
  if (code === null || !UNFIT.has(code))
    return putAside(deps, shift, leased, await whyNot(deps, leased, answer));
  return unfit(deps, leased, answer.fault?.message ?? code);
}

/** Another root may have what this one lacks. */
async function unfit(
  { remote }: WorkerDeps,
  { thread, lease }: Leased,
  reason: string,
): Promise<Result<never, Fault>> {
  const free = { held: null, againIn: SOON, keep: false, entry: null };
  const released = await remote.release({ thread, lease, ...free });
  return released.ok ? err(fault("WORKER_UNFIT", { thread, reason })) : released;
}

/** Leaves a thread to wait for those that its step has started: from now on any worker takes them. */
async function waitFor(
  deps: WorkerDeps,
  leased: Leased,
  { children, nodes, held }: AwaitedChildren,
): Promise<Result<Worked, Fault>> {
  const { thread, lease } = leased;
  const entry = { event: "held", held, ...whoIs(deps), runs: runsOf(deps.storage, leased) };
  const waits = await deps.remote.wait({ thread, lease, held, children, nodes, entry });
  if (!waits.ok) return waits;
  if (waits.value) deps.tell(`${thread} waits for ${counted(children.length, "thread")} that it has started`);
  return ok("passed");
}

/**
 * A step that this root had finished, and not pushed, when another one was given the thread. It was paid for: the remote
 * keeps it as it keeps what is pushed too late.
 */
async function giveUp(
  deps: WorkerDeps,
  { lease, ...leased }: Leased,
  late: TakenIn,
): Promise<Result<void, Fault>> {
  deps.warn(`thread ${leased.thread} goes on from ${leased.head}; ${late.head} was withdrawn, and is kept`);
  const entry = { ...whoIs(deps), withdrawn: true };
  const refused = await giveBack(deps, { ...leased, lease: lease - 1 }, late, entry);
  return refused.ok ? ok(undefined) : refused;
}

/** For the log. The list of roots forgets one that has left. */
function whoIs({ root, storage }: WorkerDeps): RootNames {
  return { root, host: hostName(), folder: storage.root };
}

function isBeyond({ ahead, ended }: PlacedThread): boolean {
  return ahead > 0 || ended !== null;
}

async function pushed(
  deps: WorkerDeps,
  shift: Shift,
  leased: Leased,
  placed: TakenIn,
  entry: Readonly<Record<string, unknown>>,
): Promise<Result<Worked, Fault>> {
  const runs = runsOf(deps.storage, leased);
  const commit = await keepWork(deps, leased, placed.head);
  if (!commit.ok) {
    const { error } = commit;
    return error.code === "REMOTE_FAILED"
      ? commit
      : putAside(deps, shift, leased, { ...failureOf(error), keep: true });
  }
  const after = leased.lost === null ? {} : { lost: leased.lost };
  const told = { ...whoIs(deps), ...after, ...entry, runs };
  const result = await giveBack(deps, leased, placed, told, commit.value);
  if (!result.ok) return result;
  if (result.value.kind === "refused") {
    shift.refused += 1;
    deps.warn(`the step of thread ${leased.thread} came too late; it is kept as ${placed.head}`);
    return ok("passed");
  }
  if (placed.ended !== null) await deps.workspaces.remove(leased);
  shift.steps += placed.ahead;
  deps.tell(`${leased.thread} ${stepWords(deps, leased, placed)}`);
  return ok("stepped");
}

/**
 * What the step has left in its workspace, where other workers find it: before the step itself, which they go on from. Who
 * has lost the thread pushes to no branch of it.
 */
async function keepWork(
  deps: WorkerDeps,
  leased: Leased,
  head: string,
): Promise<Result<string | null, Fault>> {
  if (leased.workspace === null) return ok(null);
  const leases = await deps.remote.heartbeat(deps.root);
  if (!leases.ok) return leases;
  return deps.workspaces.keep(leased, head, leases.value.get(leased.thread) !== leased.lease);
}

function stepWords({ storage }: WorkerDeps, { steps }: Leased, { head, ahead, ended }: PlacedThread): string {
  const role = roleAt(storage, head);
  const over = ended === null ? "" : `: the thread has ended (${ended})`;
  return `${role === null ? "" : `${role}, `}step ${steps + ahead}${over}`;
}

/** A step that was not pushed, and why. */
type NoStep = { readonly held: RemoteHold; readonly againIn: number | null; readonly keep: boolean };

async function putAside(
  deps: WorkerDeps,
  shift: Shift,
  leased: Leased,
  { held, againIn, keep }: NoStep,
): Promise<Result<Worked, Fault>> {
  // People see also what is tried again by itself. One that is only busy is not held: it is ready again in a moment.
  const isHeld = held.for !== "failure" || againIn === null || isTriedAgain(held);
  if (held.for === "failure" && againIn === null) shift.failed.add(leased.thread);
  if (isHeld) (held.for === "failure" ? deps.warn : deps.tell)(`thread ${leased.thread} ${holdWords(held)}`);
  const { thread, lease } = leased;
  const runs = runsOf(deps.storage, leased);
  const told = { ...whoIs(deps), runs };
  const tried = runs.length > 0 ? { event: "tried", ...told } : null;
  const entry = isHeld ? { event: "held", held, ...told } : tried;
  const hold = { held: isHeld ? held : null, againIn, keep, entry };
  const released = await deps.remote.release({ thread, lease, ...hold });
  return released.ok ? ok("passed") : released;
}

function failureOf(failure: Fault): NoStep {
  const isBusy = failure.code === "THREAD_BUSY" || failure.code === "HEAD_MOVED";
  const held = { for: "failure", role: null, question: messageOf(failure), code: failure.code };
  // Whoever steps it here may have an agent that runs.
  return { held, againIn: isBusy ? SOON : isTriedAgain(held) ? LATER : null, keep: isBusy };
}

/** What the step's process said, as a reason to wait. */
async function whyNot({ storage }: WorkerDeps, leased: Leased, answer: Answer): Promise<NoStep> {
  const thread = leased.thread as ThreadId;
  const place = { thread, head: leased.head as CasRef };
  const found = answer.code === 9 ? readHold(storage, place) : null;
  if (found?.ok && found.value !== null) {
    const { for: what, role, question, until } = found.value;
    const held = { for: what, role, question, code: null };
    // Whom it waits for can answer anywhere; a child, a pause or a limit is in this root's storage.
    if (what !== "answer") return { held, againIn: LATER, keep: true };
    const left = until === null ? null : Math.max(1, (until - storage.now()) / 1000);
    return { held, againIn: left, keep: false };
  }
  const message = answer.fault?.message ?? (answer.stderr.trim().slice(-500) || "its uwf was ended");
  const held = { for: "failure", role: null, question: message, code: codeIn(answer) };
  // The agent of a killed uwf, or of whoever else steps the thread here, runs on: its step comes from this root.
  const keep = answer.wasKilled || held.code === "THREAD_BUSY";
  const isLater = keep || answer.code === 75 || answer.code >= 128;
  return { held, againIn: isLater ? (answer.fault?.retryAfter ?? SOON) : null, keep };
}

function codeIn({ stderr }: Answer): string | null {
  const [, code = null] = /"code":\s*"([A-Z_]+)"/.exec(stderr.trim().split("\n").at(-1) ?? "") ?? [];
  return code;
}
