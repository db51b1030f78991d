import { statSync } from "node:fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { newRun, type RunDir, readEnding, removeRun, stderrTail, stdoutTail } from "@uncaged/workflow-store";
import { type ChildOutcome, resolveCommand, runChild } from "@uncaged/workflow-util";
import { adoptPrevious } from "./adopt.js";
import { agentEnvironment } from "./environment.js";
import { loadVerify } from "./load.js";
import { logFailure, logStep } from "./log-run.js";
import { failureOf } from "./run-fault.js";
import { followStderr } from "./stderr-follow.js";
import type { Road, RunPlan, RunResult, VerifiedStep } from "./types.js";

/** Seconds between SIGTERM and SIGKILL, and between a seen result and the end of an agent that stays. */
const GRACE_SECONDS = 5;

/** How much of an agent's last words goes into its fault. */
const STDERR_BYTES = 2048;

/** Stage 6, with stage 7 as its gate: the result of the previous run if it left one, else exactly one agent run. */
export async function runAgent(road: Road, plan: RunPlan, waitMs: number): Promise<RunResult> {
  const previous = await adoptPrevious(road, plan, waitMs);
  if (previous !== null) return previous;
  const ready = prepare(road, plan);
  if (!ready.ok) return { kind: "failed", fault: ready.error };
  const { run, command } = ready.value;
  let look: (() => boolean) | null = null;
  const running = spawn(road, plan, run, { command, resultSeen: () => look?.() ?? false });
  const { verify } = await loadVerify();
  const check: Check = () => verify(road, plan, stdoutTail(run));
  look = resultWatch(run, check);
  return settle(road, plan, run, { outcome: await running, verified: check() });
}

/** Stage 7 on what stands in the run's stdout now. */
type Check = () => Result<VerifiedStep, string>;

/** Everything that can be refused before anything is started. */
function prepare(
  road: Road,
  plan: RunPlan,
): Result<{ readonly run: RunDir; readonly command: string }, Fault> {
  const { host, storage, thread } = road;
  const command = resolveCommand(plan.agent.program, { path: host.env.PATH ?? "", cwd: host.cwd });
  if (!command.ok) return command;
  const signal = road.signals.received();
  if (signal !== null) return err(fault("INTERRUPTED", { signal, recorded: null }));
  const ending = readEnding(storage, thread);
  if (!ending.ok) return ending;
  if (ending.value !== null) return err(fault("THREAD_ENDED", { thread, reason: ending.value.reason }));
  const words = [command.value, ...plan.agent.args, thread, plan.role];
  const run = newRun(storage, thread, {
    head: road.chain.head,
    role: plan.role,
    command: words,
    token: host.newToken(),
    attempt: 1,
  });
  return run.ok ? ok({ run: run.value, command: command.value }) : run;
}

type SpawnParts = { readonly command: string; readonly resultSeen: () => boolean };

async function spawn(
  road: Road,
  plan: RunPlan,
  run: RunDir,
  { command, resultSeen }: SpawnParts,
): Promise<ChildOutcome> {
  const { host, storage, thread } = road;
  const showStderr = followStderr(run.stderr, host.stderr);
  const outcome = await runChild({
    command,
    args: [...plan.agent.args, thread, plan.role],
    cwd: host.cwd,
    env: agentEnvironment(host.env, plan.agent.env, {
      root: storage.root,
      head: road.chain.head,
      token: run.token,
    }),
    stdin: { kind: "null" },
    stdout: { kind: "file", path: run.stdout },
    stderr: { kind: "file", path: run.stderr },
    pidFile: run.pidFile,
    limits: { timeoutMs: plan.agent.timeoutMs, idleMs: plan.agent.idleMs, graceMs: graceMs(road) },
    lastActivity: () => modifiedAt(run.heartbeat),
    onTick: showStderr,
    resultSeen,
    abort: road.signals.abort,
    token: run.token,
  });
  showStderr();
  return outcome;
}

/** The run's result: what it printed counts unless it is known to have failed. */
function settle(
  road: Road,
  plan: RunPlan,
  run: RunDir,
  { outcome, verified }: { readonly outcome: ChildOutcome; readonly verified: ReturnType<Check> },
): RunResult {
  const failedByItself = outcome.kind === "signaled" || (outcome.kind === "exited" && outcome.code !== 0);
  if (verified.ok && !failedByItself && outcome.kind !== "not-startable") {
    logStep(road, plan, run, verified.value, { outcome, attempt: 1 });
    return { kind: "step", step: verified.value, run };
  }
  const said = { reason: verified.ok ? "" : verified.error, stderr: stderrTail(run, STDERR_BYTES) };
  const failure = failureOf(plan, outcome, said);
  logFailure(road, plan, run, failure, { outcome, attempt: 1 });
  removeRun(run);
  return { kind: "failed", fault: failure };
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

function graceMs(road: Road): number {
  const seconds = Number(road.host.env.UWF_GRACE_SECONDS ?? GRACE_SECONDS);
  return 1000 * (Number.isFinite(seconds) && seconds >= 0 ? seconds : GRACE_SECONDS);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Epoch ms; 0 when there is none yet. */
function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
