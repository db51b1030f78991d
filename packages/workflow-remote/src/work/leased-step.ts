import { counted, type Messages } from "@uncaged/cli-workflow/add-on";
import { ownOrigin } from "@uncaged/json-cas-fs";
import { type Answer, isPassing, lastingFault, leadsInto, type Uwf } from "@uncaged/workflow-engine";
import {
  type CasRef,
  err,
  exitCodeOf,
  type Fault,
  fault,
  hintOf,
  messageOf,
  ok,
  type Result,
  type ThreadId,
  whoseIs,
} from "@uncaged/workflow-protocol";
import {
  hasWorkspace,
  type PlacedThread,
  placeThread,
  readChain,
  readHold,
  readWorkFolder,
} from "@uncaged/workflow-store";
import type { Leased, RemoteHold, RemoteThread, RootNames } from "../types.js";
import { type Ends, type FetchedThread, fetchLeased, pushHead, roleAt } from "./exchange.js";
import { readRuns } from "./log-lines.js";
import { type AwaitedChildren, childrenAwaited } from "./wait.js";
import { holdWords, isTriedAgain, rootWords } from "./words.js";
import type { Workspaces } from "./workspace.js";

export type LeasedStepDeps = Ends &
  Messages & {
    readonly root: string;
    /** Which folder of which boot the root is. */
    readonly place: string | null;
    readonly workspaces: Workspaces;
    /** Agents work below this folder, or in one that this root makes; `null`: a row may name any. */
    readonly cwdBelow: string | null;
    /** uwf on this root for a thread that it leases, ended when the signal says so. */
    readonly uwf: (thread: string, stop: AbortSignal) => Uwf;
  };

/** What has become of a thread: steps of it were pushed, or came too late; a failure put it aside; it waits, or is busy. */
export type Outcome =
  | { readonly kind: "stepped"; readonly steps: number }
  | { readonly kind: "refused" | "failed" | "waits" };

/** When a thread that is busy here, or that waits for what only this root can see, is looked at again, in seconds. */
const SOON = 2;
const LATER = 30;

/** A worker ends when so many different threads have failed in a row, none of them certainly by its own fault. */
const MOST_IN_ROW = 3;

type Turn = {
  /** Ends the step. */
  readonly stop: AbortSignal;
  /** Whether this worker lost the database when it last had the thread. */
  readonly wasCutOff: boolean;
  /** Threads that have failed here since this worker's last step, perhaps because of this machine. */
  readonly failing: Set<string>;
};

type Deps = LeasedStepDeps & Pick<Turn, "failing">;

/** Takes a leased thread one step forward, or pushes what an earlier worker of this root has left of it. */
export async function stepLeased(
  given: LeasedStepDeps,
  leased: Leased,
  { stop, wasCutOff, failing }: Turn,
): Promise<Result<Outcome, Fault>> {
  const { thread } = leased;
  const deps = { ...given, failing };
  if (leased.lost !== null) {
    deps.warn(
      `thread ${thread} was taken from ${rootWords(leased.lost)}, which is lost: a step that it had begun runs again`,
    );
  }
  const placed = await fetchLeased(deps, leased);
  if (!placed.ok) {
    const { error } = placed;
    return error.code === "REMOTE_FAILED" ? placed : failed(deps, leased, error);
  }
  const { withdrawn } = placed.value;
  const late =
    withdrawn === null ? ok(undefined) : await pushWithdrawn(deps, leased, withdrawn, placed.value.known);
  if (!late.ok) return late;
  // An earlier worker of this root had finished a step that it could not push.
  if (isBeyond(placed.value))
    return pushStep(deps, leased, placed.value, { adopted: whyLate(leased, wasCutOff) });
  const allowed = refuseFolder(deps, thread as ThreadId);
  if (!allowed.ok) return failed(deps, leased, allowed.error);
  const opened = await deps.workspaces.open(leased, withdrawn !== null);
  if (!opened.ok) return failed(deps, leased, opened.error);
  const answer = await deps.uwf(thread, stop)(["thread", "step", thread, "--expect", leased.head], null);
  const after = await placeThread(deps.storage, {
    thread: thread as ThreadId,
    head: placed.value.head,
    workFolder: null,
  });
  if (after.ok && isBeyond(after.value)) {
    const { known } = placed.value;
    return pushStep(deps, leased, { ...after.value, known }, { code: answer.code });
  }
  // They begin with what its folder has now.
  const keep = () => deps.workspaces.retainWorktree(leased, leased.head, false);
  const children = answer.code === 9 ? await childrenAwaited(deps.storage, leased, keep) : ok(null);
  if (!children.ok) return failed(deps, leased, children.error);
  if (children.value !== null) return waitForChildren(deps, leased, children.value);
  const failure = lastingFault(answer);
  const aside = whyNot(deps, leased, answer);
  return failure === null ? putAside(deps, leased, aside) : failed(deps, leased, failure, aside);
}

/** Asked of what this root has: a thread keeps the folder that its row named when it came. */
function refuseFolder({ storage, cwdBelow }: Deps, thread: ThreadId): Result<void, Fault> {
  if (cwdBelow === null || hasWorkspace(storage, thread)) return ok(undefined);
  const folder = readWorkFolder(storage, thread);
  if (!folder.ok) return folder;
  if (folder.value !== null && leadsInto(folder.value, cwdBelow)) return ok(undefined);
  const reason = `${folder.value ?? "none"} does not lead into ${cwdBelow}, where this worker's agents stay`;
  const hint = "submit it with a --cwd below, or start a worker with another --cwd-below";
  return err(fault("INVALID_INPUT", { what: `the folder of thread ${thread}`, reason, hint }));
}

/** Whether uwf neither retries the failure by itself nor asks a person about it. */
function isLasting({ held, againIn }: PutAside): boolean {
  return held.for === "failure" && againIn === null;
}

/** A failure is the thread's, or this machine's: then every other thread would be put aside for it, too, and the worker ends. */
async function failed(
  deps: Deps,
  leased: Leased,
  failure: Fault,
  aside: PutAside = failureOf(failure),
): Promise<Result<Outcome, Fault>> {
  const whose = isLasting(aside) ? whoseIs(failure) : "thread";
  // If this root's copy of the thread lacks a node, it lacks it for good; another root may have it.
  if (whose === "machine" || whose === "copy") return unfit(deps, leased, failure, null);
  if (whose === "either") deps.failing.add(leased.thread);
  const inRow = deps.failing.size;
  if (whose === "either" && inRow >= MOST_IN_ROW) return unfit(deps, leased, failure, inRow);
  return putAside(deps, leased, aside);
}

/** Another root may have what this one lacks. */
async function unfit(
  deps: LeasedStepDeps,
  leased: Leased,
  failure: Fault,
  inRow: number | null,
): Promise<Result<never, Fault>> {
  const { thread, lease } = leased;
  const free = { held: null, againIn: SOON, keep: false, entry: triedBy(deps, leased) };
  const released = await deps.remote.release({ thread, lease, ...free });
  if (!released.ok) return released;
  const [reason, hint, exit] = [messageOf(failure), hintOf(failure), exitCodeOf(failure)];
  return err(fault("WORKER_UNFIT", { thread, reason, hint, exit, inRow }));
}

/** The runs of a step that has not been recorded, for the log. */
function triedBy(deps: LeasedStepDeps, leased: Leased): Readonly<Record<string, unknown>> | null {
  const runs = readRuns(deps.storage, leased);
  return runs.length > 0 ? { event: "tried", ...whoIs(deps), runs } : null;
}

/** Leaves a thread to wait for those that its step has started: from now on any worker takes them. */
async function waitForChildren(
  deps: LeasedStepDeps,
  leased: Leased,
  { children, nodes, held }: AwaitedChildren,
): Promise<Result<Outcome, Fault>> {
  const { thread, lease } = leased;
  const entry = { event: "held", held, ...whoIs(deps), runs: readRuns(deps.storage, leased) };
  const waits = await deps.remote.wait({ thread, lease, held, children, nodes, entry });
  if (!waits.ok) return waits;
  if (waits.value) deps.tell(`${thread} waits for ${counted(children.length, "thread")} that it has started`);
  return ok({ kind: "waits" });
}

/** No thread has it: what is pushed with it is refused. */
const NO_LEASE = -1;

/**
 * A step that this root had finished, and not pushed, when another one was given the thread. It was paid for: the remote
 * keeps it as it keeps what is pushed too late.
 */
export async function pushWithdrawn(
  deps: LeasedStepDeps,
  there: RemoteThread,
  withdrawn: CasRef,
  known: readonly CasRef[] = [],
): Promise<Result<void, Fault>> {
  const { thread, head, steps } = there;
  deps.warn(`thread ${thread} goes on from ${head}; ${withdrawn} was withdrawn, and is kept`);
  const chain = readChain(deps.storage.cas, withdrawn);
  const ahead = chain.ok ? chain.value.steps.length - steps : 0;
  const late = { head: withdrawn, ahead, ended: null, known };
  const entry = { ...whoIs(deps), withdrawn: true };
  const refused = await pushHead(deps, { ...there, lease: NO_LEASE }, late, entry);
  if (refused.ok) return ok(undefined);
  if (refused.error.code === "REMOTE_FAILED") return refused;
  // Its nodes are damaged here; the thread itself is not.
  deps.warn(messageOf(refused.error));
  return ok(undefined);
}

/** For the log. The list of roots forgets one that has left. */
export function whoIs({ root, storage }: LeasedStepDeps): RootNames {
  return { root, host: ownOrigin().host, folder: storage.root };
}

/** What came between a step that is finished here and its push, as the log has it. */
function whyLate({ held }: Leased, wasCutOff: boolean): "git" | "database" | "worker" {
  if (held !== null && isTriedAgain(held)) return "git";
  return wasCutOff ? "database" : "worker";
}

export function isBeyond({ ahead, ended }: PlacedThread): boolean {
  return ahead > 0 || ended !== null;
}

/** Pushes a thread's local state, after the files of its step. */
export async function pushStep(
  deps: LeasedStepDeps,
  leased: Leased,
  placed: FetchedThread,
  entry: Readonly<Record<string, unknown>>,
): Promise<Result<Outcome, Fault>> {
  const runs = readRuns(deps.storage, leased);
  const commit = await pushWorkspace(deps, leased, placed.head);
  if (!commit.ok) return unpushed(deps, leased, commit.error);
  const after = leased.lost === null ? {} : { lost: leased.lost };
  const record = { ...whoIs(deps), ...after, ...entry, runs };
  const result = await pushHead(deps, leased, placed, record, commit.value);
  if (!result.ok) return unpushed(deps, leased, result.error);
  if (result.value.kind === "refused") {
    deps.warn(`the step of thread ${leased.thread} came too late; it is kept as ${placed.head}`);
    return ok({ kind: "refused" });
  }
  if (placed.ended !== null) await deps.workspaces.remove(leased);
  deps.tell(`${leased.thread} ${stepWords(deps, leased, placed)}`);
  return ok({ kind: "stepped", steps: placed.ahead });
}

/** A step that only this root has: the thread waits here for a person, and the worker goes on with others. */
async function unpushed(deps: LeasedStepDeps, leased: Leased, error: Fault): Promise<Result<Outcome, Fault>> {
  return error.code === "REMOTE_FAILED"
    ? err(error)
    : putAside(deps, leased, { ...failureOf(error), keep: true });
}

/**
 * What the step has left in its workspace, where other workers find it: before the step itself, which they go on from.
 * A worker that has lost the thread does not push to its branch.
 */
async function pushWorkspace(
  deps: LeasedStepDeps,
  leased: Leased,
  head: string,
): Promise<Result<string | null, Fault>> {
  if (leased.workspace === null) return ok(null);
  const leases = await deps.remote.heartbeat(deps.root);
  if (!leases.ok) return leases;
  return deps.workspaces.retainWorktree(leased, head, leases.value.get(leased.thread) !== leased.lease);
}

function stepWords(
  { storage }: LeasedStepDeps,
  { steps }: Leased,
  { head, ahead, ended }: PlacedThread,
): string {
  const role = roleAt(storage, head);
  const over = ended === null ? "" : `: the thread has ended (${ended})`;
  return `${role === null ? "" : `${role}, `}step ${steps + ahead}${over}`;
}

/** A step that was not pushed, and why. */
type PutAside = { readonly held: RemoteHold; readonly againIn: number | null; readonly keep: boolean };

async function putAside(
  deps: LeasedStepDeps,
  leased: Leased,
  { held, againIn, keep }: PutAside,
): Promise<Result<Outcome, Fault>> {
  const isFailure = held.for === "failure";
  const isAside = isFailure && againIn === null;
  // People also see what is tried again by itself. A thread that is only busy is not held: it is ready again in a
  // moment.
  const isHeld = !isFailure || isAside || isTriedAgain(held);
  const say = isFailure ? deps.warn : deps.tell;
  if (isHeld) say(`thread ${leased.thread} ${holdWords(held)}`);
  const { thread, lease } = leased;
  const record = { event: "held", held, ...whoIs(deps), runs: readRuns(deps.storage, leased) };
  const entry = isHeld ? record : triedBy(deps, leased);
  const hold = { held: isHeld ? held : null, againIn, keep, entry };
  const released = await deps.remote.release({ thread, lease, ...hold });
  if (!released.ok) return released;
  return ok({ kind: isAside ? "failed" : "waits" });
}

function failureOf(failure: Fault): PutAside {
  const isBusy = exitCodeOf(failure) === 75;
  const held = { for: "failure", role: null, question: messageOf(failure), code: failure.code };
  // The process that steps it here may have a running agent.
  return { held, againIn: isBusy ? SOON : isTriedAgain(held) ? LATER : null, keep: isBusy };
}

/** What the step's process said, as a reason to wait. */
function whyNot({ storage }: LeasedStepDeps, leased: Leased, answer: Answer): PutAside {
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
  const held = { for: "failure", role: null, question: message, code: answer.failure?.code ?? null };
  // The agent of a killed uwf, or of another that steps the thread here, runs on: this root gets its step.
  const keep = answer.wasKilled || held.code === "THREAD_BUSY";
  return { held, againIn: isPassing(answer) ? (answer.fault?.retryAfter ?? SOON) : null, keep };
}
