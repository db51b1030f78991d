import { statSync } from "node:fs";
import { ENV, err, type Fault, fault, ofRun, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type Forecast,
  forecastText,
  keepForecast,
  newRun,
  type RunDir,
  removeRun,
  stdoutTail,
} from "@uncaged/workflow-store";
import {
  type ChildOutcome,
  type ChildSpec,
  endRun,
  resolveCommand,
  runChild,
  startWaiting,
  type Waiting,
  type WaitingSpec,
} from "@uncaged/workflow-util";
import { agentEnvironment, stampOf } from "../ahead/index.js";
import { identityOf } from "./identity.js";
import { lastOfStderr } from "./last-words.js";
import { loadVerify } from "./load.js";
import { logFailure } from "./log-run.js";
import { failureOf } from "./run-fault.js";
import { graceMs } from "./settings.js";
import { followStderr, UNSEEN } from "./stderr-follow.js";
import { reasonToStop } from "./stop.js";
import type { RunPlan, RunResult, RunRoad, VerifiedStep } from "./types.js";

/** How much of an agent's last words goes into its fault. */
const STDERR_BYTES = 2048;

/** One run of the agent, from its folder to its result. */
export async function runOnce(road: RunRoad, plan: RunPlan, attempt: number): Promise<RunResult> {
  const ready = await prepare(road, plan, attempt);
  if (!ready.ok) return { kind: "failed", fault: ready.error };
  const { run, start } = ready.value;
  let look: (() => boolean) | null = null;
  const running = spawn(road, plan, run, start, () => look?.() ?? false);
  start.foretell();
  const { verify } = await loadVerify();
  const check: Check = () => verify(road, plan, stdoutTail(run));
  look = resultWatch(run, check);
  return settle(road, plan, run, { outcome: await running, verified: check(), attempt });
}

/** Stage 7 on what stands in the run's stdout now. */
type Check = () => Result<VerifiedStep, string>;

type Ready = { readonly run: RunDir; readonly start: Start };

/** The run's process: what is still to be started, or what waits; and what the next step is told of it. */
type Start = WaitingSpec & { readonly waiting: Waiting | null; readonly foretell: () => void };

/** Everything that can be refused before the agent begins. */
async function prepare(road: RunRoad, plan: RunPlan, attempt: number): Promise<Result<Ready, Fault>> {
  const { host, storage, thread } = road;
  const command = resolveCommand(plan.agent.program, { path: host.env.PATH ?? "", cwd: host.cwd });
  if (!command.ok) return command;
  const { token, start } = await startOf(road, plan, command.value);
  // As late as can be: a kill has its moment while the process starts.
  const stop = reasonToStop(road);
  const { head } = road.chain;
  const words = [command.value, ...plan.agent.args, thread, plan.role];
  const record = { head, role: plan.role, command: words, token, attempt };
  const run = stop === null ? newRun(storage, thread, record) : err(stop);
  if (run.ok) return ok({ run: run.value, start });
  await start.waiting?.dismiss();
  return run;
}

/** What waits for exactly this run, or, where it can wait, does so while the run is being made durable. */
async function startOf(
  road: RunRoad,
  plan: RunPlan,
  command: string,
): Promise<{ readonly token: string; readonly start: Start }> {
  const { host, storage, thread, keyNames, redactor } = road;
  const { agent } = plan;
  const token = host.newToken();
  const env = agentEnvironment(host.env, {
    passed: agent.env,
    resume: agent.resume,
    root: storage.root,
    head: road.chain.head,
    token,
    keyNames,
    isSecret: (text) => redactor.text(text) !== text,
  });
  const spec: WaitingSpec = { command, args: [...agent.args, thread], cwd: host.cwd, env };
  const { waiting, foretell } = await waitingFor(road, plan, spec);
  const own = waiting?.spec.env[ENV.run] ?? token;
  return { token: own, start: { ...spec, env: { ...env, [ENV.run]: own }, waiting, foretell } };
}

/** What started ahead was foretold as it is. */
async function waitingFor(
  road: RunRoad,
  plan: RunPlan,
  spec: WaitingSpec,
): Promise<Pick<Start, "waiting" | "foretell">> {
  const ahead = await road.ahead.take(spec);
  if (ahead !== null) return { waiting: ahead, foretell: () => {} };
  // As it is before anybody looks into it.
  const launcher = stampOf(spec.command);
  const waiting = await startWaiting(spec);
  const known = waiting === null || launcher === null ? null : { command: spec.command, launcher };
  return { waiting, foretell: () => keepForecast(road.storage, forecastOf(road, plan, known)) };
}

type Known = Pick<Forecast, "command" | "launcher">;

/** What the next step of such a line runs; `null` where that depends on its role, cannot wait, or holds a key. */
function forecastOf(
  { configStamp, keyNames, redactor }: RunRoad,
  { agent, ofAnyRole }: RunPlan,
  known: Known | null,
): Forecast | null {
  if (ofAnyRole === null || known === null) return null;
  const { args, env: passed, resume } = agent;
  const forecast: Forecast = { ...ofAnyRole, ...known, config: configStamp, args, passed, resume, keyNames };
  const text = forecastText(forecast);
  return redactor.text(text) === text ? forecast : null;
}

async function spawn(
  road: RunRoad,
  plan: RunPlan,
  run: RunDir,
  { command, args, env, cwd, waiting }: Start,
  resultSeen: () => boolean,
): Promise<ChildOutcome> {
  const { host } = road;
  const stderr = road.live ? followStderr(run.stderr, host.stderr, road.redactor) : UNSEEN;
  const spec: ChildSpec = {
    command,
    args: [...args, plan.role],
    cwd,
    env,
    stdin: { kind: "null" },
    stdout: { kind: "file", path: run.stdout },
    stderr: { kind: "file", path: run.stderr },
    pidFile: run.pidFile,
    limits: { timeoutMs: plan.agent.timeoutMs, idleMs: plan.agent.idleMs, graceMs: graceMs(host.env) },
    lastActivity: () => modifiedAt(run.heartbeat),
    onTick: stderr.show,
    resultSeen,
    abort: road.signals.abort,
    token: run.token,
  };
  const outcome = await runChild(spec, waiting);
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
  if (!(await endRun(identityOf(run), graceMs(road.host.env)))) return staying(road, plan);
  const reason = verified.ok ? "" : verified.error;
  const stderr = lastOfStderr(road, run, STDERR_BYTES);
  const failure = road.redactor.value(failureOf(plan, outcome, { reason, stderr }));
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
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Epoch ms; 0 when there is none yet. */
function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
