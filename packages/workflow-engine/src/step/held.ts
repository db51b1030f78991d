import { LAST_TIME } from "@uncaged/json-cas";
import {
  type CasRef,
  commandLine,
  err,
  type Fault,
  type HoldRecord,
  type HumanPlayer,
  holdFault,
  type LimitRecord,
  messageOf,
  type Result,
  raiseCommand,
  type ThreadId,
  type WaitingRecord,
} from "@uncaged/workflow-protocol";
import {
  arrivedAt,
  configStamp,
  findBlocker,
  findRuns,
  readHold,
  type Storage,
  stillWaits,
  writeThreadRecord,
} from "@uncaged/workflow-store";
import { recordAnswer } from "./answer.js";
import { notify } from "./notify.js";
import { paused } from "./stop.js";
import type { AnsweredStep, Claimed, RunPlan, RunState, StepDeps, StepRequest } from "./types.js";

/**
 * An early version of `heldBack` that reads neither the history nor config.yaml: a thousand threads that wait cost a loop no
 * more than if they had ended. It answers only if the wait cannot have changed and no run was left behind.
 */
export async function heldAtClaim(
  { host, storage }: StepDeps,
  { claim: { head }, thread }: Claimed,
  { agents, answer, cwd, until }: StepRequest,
): Promise<Fault | null> {
  const pause = paused({ host, storage, thread }, head);
  // What a run has left also belongs to the worker that leases the thread.
  if (pause?.code === "THREAD_ON_REMOTE") return pause;
  // At the role named by --until nothing holds the thread back: the decision comes first.
  if (cwd !== null || until !== null) return null;
  const runs = findRuns(storage, thread);
  if (!runs.ok || runs.value.length > 0) return null;
  if (pause !== null || answer !== null || agents.length > 0) return pause;
  const found = readHold(storage, { thread, head });
  if (!found.ok || found.value === null) return null;
  const hold = found.value;
  const isNew =
    hold.config !== configStamp(storage, thread) ||
    ((hold.for === "answer" || hold.for === "limit") && !hold.told);
  const stands = isNew ? null : await stillWaits(storage, hold);
  return stands?.ok && stands.value ? faultOf(storage, thread, hold) : null;
}

/** What the next step of a thread that is held says, while what is waited for is unchanged; `null`: nothing holds it back. */
export function heldFault(deps: Pick<StepDeps, "host" | "storage">, place: ThreadPosition): Fault | null {
  const { storage } = deps;
  const { thread, head } = place;
  return paused({ ...deps, thread }, head) ?? waitFault(storage, place);
}

/** What a step says whose agent, or a person, has made the thread wait at this head; `null`: none has. */
export function waitFault(storage: Storage, place: ThreadPosition): Fault | null {
  const hold = readHold(storage, place);
  return hold.ok && hold.value !== null ? faultOf(storage, place.thread, hold.value) : null;
}

/** Why stage 6 starts no run: what the thread waits for is unchanged. `null`: nothing holds it back. */
export async function heldBack(state: RunState, plan: RunPlan): Promise<Fault | null> {
  const { storage, thread, chain } = state;
  const found = readHold(storage, { thread, head: chain.head });
  if (!found.ok) return found.error;
  const hold = found.value;
  // The role has another agent now, which has not been asked yet.
  if (hold === null || hold.role !== plan.role || hold.agent !== waiterOf(state, plan)) return null;
  const stands = await stillWaits(storage, hold);
  if (!stands.ok) return stands.error;
  if (!stands.value) return null;
  const config = configStamp(storage, thread);
  if (config === hold.config) return notified(state, hold);
  const kept = { ...hold, config };
  const written = writeThreadRecord(storage, thread, "hold", kept);
  return written.ok ? notified(state, kept) : written.error;
}

/** Records what the thread waits for, and notifies. Returns the fault with which the step ends. */
export async function hold(
  state: RunState,
  plan: RunPlan,
  waiting: WaitingRecord | LimitRecord,
): Promise<Fault> {
  const { storage, thread, chain, redactor } = state;
  const place = { thread, head: chain.head };
  const wait = { role: plan.role, agent: waiterOf(state, plan), for: waiting.for };
  const record: HoldRecord = {
    ...waiting,
    question: waiting.question === null ? null : redactor.text(waiting.question),
    head: chain.head,
    role: wait.role,
    agent: wait.agent,
    since: waitsSince(storage, place, wait),
    config: configStamp(storage, thread),
    told: false,
    at: beganAt(storage, place, wait),
  };
  const written = writeThreadRecord(storage, thread, "hold", record);
  return written.ok ? notified(state, record) : written.error;
}

/**
 * A person plays the role: the thread waits for them, or, after the role's timeout, the step is its default,
 * without an answer.
 */
export async function ask(
  state: RunState,
  plan: RunPlan,
  human: HumanPlayer,
): Promise<Result<AnsweredStep, Fault>> {
  const { storage, thread, chain } = state;
  const wait = { role: plan.role, agent: null, for: "answer" } as const;
  const since = waitsSince(storage, { thread, head: chain.head }, wait);
  const until = human.timeoutSeconds === null ? null : endAfter(since, human.timeoutSeconds);
  if (until !== null && human.default !== null && storage.now() >= until) {
    return recordAnswer(state, plan, {
      value: human.default,
      raw: "",
      via: "default",
      by: "nobody",
      timedOut: true,
    });
  }
  const role = chain.workflow.payload.roles[plan.role];
  const question = (role?.goal || role?.description) ?? null;
  return err(await hold(state, plan, { for: "answer", question, threads: [], until }));
}

type ThreadPosition = { readonly thread: ThreadId; readonly head: CasRef };

type Wait = Pick<HoldRecord, "role" | "agent" | "for">;

/**
 * Since the thread came to its head, but not since a time that is still to come: a node that an import has brought may have
 * any, and would keep a default from ever being due.
 */
function waitsSince(storage: Storage, place: ThreadPosition, wait: Wait): number {
  return Math.min(arrivedAt(storage, place), beganAt(storage, place, wait));
}

/** A time as hold.json may have it: in whole ms, and no later than a date can be. Longer is for ever. */
function endAfter(since: number, seconds: number): number {
  return Math.min(LAST_TIME, Math.ceil(since + seconds * 1000));
}

/** An agent that is run again and waits for the same has waited all the time. */
function beganAt(storage: Storage, place: ThreadPosition, wait: Wait): number {
  const known = readHold(storage, place);
  const before = known.ok ? known.value : null;
  const isSame = before?.role === wait.role && before.agent === wait.agent && before.for === wait.for;
  return (isSame ? before.at : null) ?? storage.now();
}

function faultOf(storage: Storage, thread: ThreadId, hold: HoldRecord): Fault {
  return holdFault(thread, hold, findBlocker(storage, { thread, head: hold.head }));
}

/** Calls `notify` at least once for an answer or a limit: until that has succeeded, every step calls it again. */
async function notified(state: RunState, hold: HoldRecord): Promise<Fault> {
  const { storage, thread } = state;
  const failure = faultOf(storage, thread, hold);
  if (hold.told || (hold.for !== "answer" && hold.for !== "limit")) return failure;
  const { role, question } = hold;
  const command = hold.for === "limit" ? raiseCommand(hold.limit) : `uwf thread answer ${thread} --edit`;
  const isNotified = await notify(state, hold.for, { role, question, command });
  const noted = isNotified ? writeThreadRecord(storage, thread, "hold", { ...hold, told: true }) : null;
  if (noted?.ok === false) state.warn(messageOf(noted.error));
  return failure;
}

/** The agent as the role's hold names it: without keys; `null`: a person. */
function waiterOf(state: Pick<RunState, "redactor">, plan: RunPlan): string | null {
  return plan.human === null ? agentText(state, plan) : null;
}

/** The agent's command without keys. */
export function agentText({ redactor }: Pick<RunState, "redactor">, { agent }: RunPlan): string {
  // Redacted word by word: a key with quotes in it would not be found in the quoted line.
  return commandLine([agent.program, ...agent.args].map(redactor.text));
}
