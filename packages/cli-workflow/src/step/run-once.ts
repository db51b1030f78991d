import { lstatSync } from "node:fs";
import { suggest } from "@uncaged/json-cas";
import { commandLine, err, type Fault, fault, ofRun, ok, type Result } from "@uncaged/workflow-protocol";
import {
  newRun,
  type RunDir,
  readReport,
  removeRun,
  stdoutTail,
  unwritableFolders,
} from "@uncaged/workflow-store";
import {
  type ChildOutcome,
  type ChildSpec,
  endRun,
  makeCgroup,
  resolveCommand,
  runChild,
} from "@uncaged/workflow-util";
import { agentsOnPath } from "../agents.js";
import { agentEnvironment, graceMs } from "./agent-environment.js";
import { loadVerify } from "./load.js";
import { logFailure } from "./log-run.js";
import { failureOf, lastOfStderr } from "./run-fault.js";
import { buildWalls } from "./sandbox.js";
import { followStderr, UNSEEN } from "./stderr-follow.js";
import { claimLost, reasonToStop } from "./stop.js";
import type { PlacedRoad, RunPlan, RunResult, RunRoad, VerifiedStep } from "./types.js";

/** How much of an agent's last words goes into its fault. */
const STDERR_BYTES = 2048;

/** One run of the agent, from its folder to its result. */
export async function runOnce(road: PlacedRoad, plan: RunPlan, attempt: number): Promise<RunResult> {
  const ready = await prepare(road, plan, attempt);
  if (!ready.ok) return { kind: "failed", fault: ready.error };
  const { run } = ready.value;
  // It goes with the run.
  const cgroup = makeCgroup(run.token);
  let look: (() => boolean) | null = null;
  const running = spawn(road, plan, { ...ready.value, cgroup }, () => look?.() ?? false);
  const { verify } = await loadVerify();
  const check: Check = () => verify(road, plan, stdoutTail(run));
  look = resultWatch(run, check);
  return settle(road, plan, run, { outcome: await running, verified: check(), attempt });
}

/** Stage 7 on what stands in the run's stdout now. */
type Check = () => Result<VerifiedStep, string>;

/** A run on disk, and the command that it is to start. */
type Ready = { readonly run: RunDir; readonly command: string; readonly args: readonly string[] };

/** Everything that can be refused before the agent begins. */
async function prepare(road: PlacedRoad, plan: RunPlan, attempt: number): Promise<Result<Ready, Fault>> {
  const { host, storage, thread, folder } = road;
  const { program, isTyped } = plan.agent;
  const cwd = isTyped ? host.cwd : folder;
  const resolved = resolveCommand(program, { path: host.env.PATH ?? "", cwd });
  if (!resolved.ok) return err(withSuggestion(resolved.error, road));
  const command = resolved.value;
  const { sandbox } = plan.agent;
  const walls = sandbox === null ? null : await buildWalls(road, plan.agent, sandbox, command);
  if (walls?.ok === false) return walls;
  // As late as can be: a kill has its moment while the process starts.
  const stop = reasonToStop(road);
  if (stop !== null) return err(stop);
  // An agent whose work cannot be stored is not paid.
  const [unwritable] = unwritableFolders(storage);
  if (unwritable !== undefined) return err(unwritable.failure);
  const words = [command, ...plan.agent.args, thread, plan.role];
  const record = { head: road.chain.head, role: plan.role, command: words, token: host.newToken(), attempt };
  const run = newRun(storage, thread, record);
  if (!run.ok) return run;
  const args = [...plan.agent.args, thread, plan.role];
  const inside = { command, args };
  return ok({ run: run.value, ...(walls === null ? inside : walls.value(run.value, inside)) });
}

/** Mistyped is likelier than not installed; many leave out the `uwf-`. */
function withSuggestion(failure: Fault, { host, config }: RunRoad): Fault {
  if (failure.code !== "AGENT_NOT_FOUND") return failure;
  const known = [...Object.keys(config?.agents ?? {}), ...agentsOnPath(host.env.PATH ?? "")];
  const full = `uwf-${failure.command}`;
  return { ...failure, suggestion: known.includes(full) ? full : suggest(failure.command, known) };
}

function environment(
  { host, folder, storage, thread, chain, keyNames, redactor }: PlacedRoad,
  plan: RunPlan,
  run: RunDir,
) {
  return agentEnvironment(host.env, {
    passed: plan.agent.env,
    resume: plan.agent.resume,
    root: storage.root,
    folder,
    head: chain.head,
    token: run.token,
    stepKey: `${thread}-${chain.head}`,
    // Word by word: quotes would keep a key in one of them from being found.
    agent: commandLine([plan.agent.program, ...plan.agent.args].map(redactor.text)),
    keyNames,
    isSecret: (text) => redactor.text(text) !== text,
  });
}

async function spawn(
  road: PlacedRoad,
  plan: RunPlan,
  { run, command, args, cgroup }: Ready & { readonly cgroup: string | null },
  resultSeen: () => boolean,
): Promise<ChildOutcome> {
  const { host } = road;
  const stderr = road.live ? followStderr(run.stderr, host.stderr, road.redactor) : UNSEEN;
  const spec: ChildSpec = {
    command,
    args,
    cwd: road.folder,
    env: environment(road, plan, run),
    stdin: { kind: "null" },
    stdout: { kind: "file", path: run.stdout },
    stderr: { kind: "file", path: run.stderr },
    pidFile: run.pidFile,
    cgroup,
    limits: { timeoutMs: plan.agent.timeoutMs, idleMs: plan.agent.idleMs, graceMs: graceMs(host.env) },
    lastActivity: () => modifiedAt(run.heartbeat),
    onTick: stderr.show,
    resultSeen,
    abort: road.signals.abort,
    token: run.token,
  };
  const outcome = await runChild(spec);
  stderr.finish();
  return outcome;
}

type Ended = {
  readonly outcome: ChildOutcome;
  readonly verified: ReturnType<Check>;
  readonly attempt: number;
};

/** The run's result: what it printed counts unless it is known to have failed. */
async function settle(road: RunRoad, plan: RunPlan, run: RunDir, ended: Ended): Promise<RunResult> {
  const { outcome, verified } = ended;
  if (verified.ok && mayCount(outcome)) {
    return { kind: "step", step: verified.value, run, how: ended };
  }
  // What the agent has left behind would work beside the next run: who looks for a run's end counts all its processes.
  const own = { pid: outcome.pid, startTime: null, token: run.token };
  if (!(await endRun(own, graceMs(road.host.env), true))) return staying(road, plan);
  // The run belongs to whoever has the thread now.
  const lost = claimLost(road);
  if (lost !== null) return { kind: "failed", fault: lost };
  const reason = verified.ok ? "" : verified.error;
  const stderr = lastOfStderr(road, run, STDERR_BYTES);
  const told = readReport(run)?.fault ?? null;
  const failure = road.redactor.value(failureOf(plan, outcome, { reason, stderr, told }));
  logFailure(road, plan, run, failure, ended);
  // A failed run that stays would be looked at as an abandoned one.
  const removed = removeRun(run);
  if (!removed.ok) return { kind: "failed", fault: removed.error };
  return {
    kind: "failed",
    fault: DID_RUN.has(outcome.kind) ? ofRun(failure, stderr) : failure,
  };
}

/** The run stays as well: the next step waits for these processes as for those of a uwf that is gone. */
function staying({ thread }: RunRoad, { role }: RunPlan): RunResult {
  const holder = `its agent as ${role} has failed, and processes of it cannot be ended`;
  return { kind: "failed", fault: fault("THREAD_BUSY", { thread, holder }) };
}

const DID_RUN: ReadonlySet<ChildOutcome["kind"]> = new Set([
  "exited",
  "signaled",
  "timeout",
  "ended-after-result",
]);

/**
 * An agent that exits with another status than 0 says that it failed, whatever it printed. One that is killed (by a
 * person, by the system for its memory) says nothing: what it has printed has been paid for.
 */
function mayCount(outcome: ChildOutcome): boolean {
  if (outcome.kind === "exited") return outcome.code === 0;
  return outcome.kind !== "not-startable" && outcome.kind !== "io-failed";
}

/** Looks at stdout again only when it has grown. */
function resultWatch(run: RunDir, check: Check): () => boolean {
  let size = 0;
  let seen = false;
  return () => {
    const now = sizeOf(run.stdout);
    if (now === size) return seen;
    size = now;
    seen = check().ok;
    return seen;
  };
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Epoch ms; 0 when there is none yet. */
function modifiedAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
