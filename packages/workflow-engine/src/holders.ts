import { existsSync } from "node:fs";
import { classifyHolder, explainHolder } from "@uncaged/json-cas-fs";
import {
  type CasRef,
  type Fault,
  type LockHolder,
  ok,
  type Result,
  type RunningRun,
  type ThreadId,
  type ThreadPsItem,
  type ThreadShowOutput,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  doubtAbout,
  type FoundRun,
  findRuns,
  identityOf,
  lastSignOfLife,
  readHead,
  readHolder,
  readReport,
  type Storage,
  type Unlocked,
  workflowOfHead,
} from "@uncaged/workflow-store";
import { runMembers } from "@uncaged/workflow-util";

type HeldBy = NonNullable<Unlocked["holder"]>;

/** A lock's record as commands print it. */
export function holderOutput({ pid, host, acquiredAt, judgement, because }: HeldBy): LockHolder {
  return { pid, host, since: acquiredAt, judgement, because };
}

const VERDICT = {
  alive: "it is alive",
  dead: "it is dead",
  unknown: "whether it is alive cannot be checked from here",
};

/** `it is dead: no living process has its pid and start time`. */
export function verdictSentence({ judgement, because }: Pick<HeldBy, "judgement" | "because">): string {
  return `${VERDICT[judgement]}: ${because}`;
}

/** A run on disk and what is known of its processes. */
export type RunState = {
  readonly run: FoundRun;
  /** The agent's own process; `null` while it is being started. */
  readonly pid: number | null;
  /** Whether any process of the run is alive; `null` if that cannot be checked from here. */
  readonly agentAlive: boolean | null;
};

/** `elsewhere`: its uwf runs where our list of processes does not reach, and so does its agent. */
export function runState(run: FoundRun, { elsewhere }: { readonly elsewhere: boolean }): RunState {
  const identity = identityOf(run);
  const lives = runMembers(identity).length > 0;
  const isKnown = lives || (!elsewhere && doubtAbout(run) === null);
  return { run, pid: identity.pid, agentAlive: isKnown ? lives : null };
}

/** The run of a thread at its head: it is under way, or was left behind, or there is none. */
export type RunAt = Pick<ThreadShowOutput, "running" | "leftRun">;

export const NO_RUN: RunAt = { running: null, leftRun: null };

export function runAt(
  storage: Storage,
  { thread, head }: { readonly thread: ThreadId; readonly head: CasRef },
): Result<RunAt, Fault> {
  const runs = findRuns(storage, thread);
  if (!runs.ok) return runs;
  const run = runs.value.findLast(({ record }) => record.head === head);
  if (run === undefined) return ok(NO_RUN);
  const holder = attempt(() => readHolder(storage, thread));
  return holder.ok ? ok(classifyRun(run, judgementOf(holder.value))) : holder;
}

/** The only place that tells a run under way from one that was left behind. */
function classifyRun(run: FoundRun, uwf: Judgement): RunAt {
  const running = underWay(run, uwf);
  // A step removes its run before it releases the thread: a run that has gone since it was found was not left behind.
  if (uwf === "dead" && !existsSync(run.dir)) return NO_RUN;
  if (running !== null) return { running: { ...running, uwf }, leftRun: null };
  const { role, command, startedAt } = run.record;
  return { running: null, leftRun: { role, agent: command[0] ?? "", since: startedAt } };
}

type Judgement = HeldBy["judgement"];

function judgementOf(holder: ReturnType<typeof readHolder>): Judgement {
  return holder === null ? "dead" : classifyHolder(holder);
}

/** The run as commands tell it, while its uwf or its agent is alive, or cannot be checked; `null`: both are gone. */
function underWay(run: FoundRun, judgement: Judgement): RunningRun | null {
  const { pid, agentAlive } = runState(run, { elsewhere: judgement === "unknown" });
  if (judgement === "dead" && agentAlive === false) return null;
  const { role, command, startedAt } = run.record;
  const sign = lastSignOfLife(run);
  return {
    role,
    agent: command[0] ?? "",
    since: startedAt,
    pid,
    model: readReport(run)?.model ?? null,
    lastSignOfLife: sign === null ? null : new Date(sign).toISOString(),
  };
}

function psRun(running: RunAt["running"], found: FoundRun | undefined): ThreadPsItem["run"] {
  if (running === null || found === undefined) return null;
  const { uwf: _, ...run } = running;
  return { ...run, attempt: found.record.attempt };
}

/** What works on a thread: its run, and the uwf that holds it; `null`: nothing does any more. */
export async function readPsItem(
  storage: Storage,
  thread: ThreadId,
): Promise<Result<ThreadPsItem | null, Fault>> {
  const runs = findRuns(storage, thread);
  if (!runs.ok) return runs;
  const holder = attempt(() => readHolder(storage, thread));
  if (!holder.ok) return holder;
  const held = holder.value === null ? null : { ...holder.value, ...explainHolder(holder.value) };
  const uwf = held === null || held.judgement === "dead" ? null : holderOutput(held);
  const read = await readHead(storage, thread);
  // A run is printed even if the head of its thread is gone or cannot be read.
  const head = (read.ok ? read.value : null) ?? runs.value.at(-1)?.record.head ?? null;
  const found = runs.value.findLast(({ record }) => record.head === head);
  const running = found === undefined ? null : classifyRun(found, judgementOf(holder.value)).running;
  if (running === null && uwf === null) return ok(null);
  const workflow = head === null ? null : workflowOfHead(storage.cas, head);
  return ok({ thread, workflow: workflow?.ok ? workflow.value : null, run: psRun(running, found), uwf });
}
