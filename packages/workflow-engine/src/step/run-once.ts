import { lstatSync } from "node:fs";
import { err, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  giveNotes,
  newRun,
  playsByThreads,
  type RunDir,
  readNotes,
  stdoutTail,
  unwritablePaths,
} from "@uncaged/workflow-store";
import { type ChildSpec, makeCgroup, runChild } from "@uncaged/workflow-util";
import type { TextSink } from "../host.js";
import { agentEnvironment, findAgentProgram, graceMs } from "./agent-program.js";
import { agentText } from "./held.js";
import { buildWalls } from "./sandbox.js";
import { followStderr, UNSEEN } from "./stderr-follow.js";
import { reasonToStop } from "./stop.js";
import type { EndedRun, RunPlan, RunState } from "./types.js";
import { verifyStdout } from "./verify.js";

/** With the agent's working folder. */
export type PlacedState = RunState & { readonly workFolder: string };

/** One run of the agent, from its folder to its end. */
export async function runOnce(
  state: PlacedState,
  plan: RunPlan,
  attempt: number,
): Promise<Result<EndedRun, Fault>> {
  const ready = await prepare(state, plan, attempt);
  if (!ready.ok) return ready;
  const { run } = ready.value;
  const { role } = plan;
  const agent = agentText(state, plan);
  const begun = { role, agent, run: run.token, head: state.chain.head, attempt };
  state.log("Y3D8KQ6R", `${role} runs: ${agent}`, "agent", begun);
  const watched = state.watch?.agent({ kind: "agent", ...begun }, run);
  const shown = watched === undefined ? usualOutput(state) : watched.output;
  const stderr = shown === null ? UNSEEN : followStderr(run.stderr, shown, state.redactor);
  const outcome = await runChild({
    ...childSpec(state, plan, ready.value),
    // Removed with the run.
    cgroup: makeCgroup(run.token),
    onTick: stderr.show,
    resultSeen: watchResult(run, () => verifyStdout(state, plan, stdoutTail(run)).ok),
  });
  stderr.finish();
  watched?.end();
  return ok({ run, role, outcome, attempt });
}

/** A program that reads our stderr gets objects, and no words of an agent. */
function usualOutput({ live, host }: PlacedState): TextSink | null {
  return live ? host.stderr : null;
}

/** A run on disk, and the command to start. */
type Ready = {
  readonly run: RunDir;
  readonly hasNotes: boolean;
  readonly command: string;
  readonly args: readonly string[];
};

/** All checks that can fail before the agent starts. */
async function prepare(state: PlacedState, plan: RunPlan, attempt: number): Promise<Result<Ready, Fault>> {
  const { host, storage, thread, workFolder, config } = state;
  const resolved = findAgentProgram({ host, config, workFolder }, plan.agent);
  if (!resolved.ok) return resolved;
  const command = resolved.value;
  const { program, sandbox } = plan.agent;
  const walls = sandbox === null ? null : await buildWalls(state, plan.agent, sandbox, command);
  if (walls?.ok === false) return walls;
  // As late as possible, to see a kill that came meanwhile.
  const stop = reasonToStop(state);
  if (stop !== null) return err(stop);
  // Do not pay for an agent whose work cannot be stored.
  const [unwritable] = unwritablePaths(storage, thread);
  if (unwritable !== undefined) return err(unwritable.failure);
  // Child threads get their own notes. No agent would read these here, so they wait for the next one.
  const notes = playsByThreads(program) ? ok([]) : readNotes(storage, thread);
  if (!notes.ok) return notes;
  const words = [command, ...plan.agent.args, thread, plan.role];
  const record = { head: state.chain.head, role: plan.role, command: words, token: host.newToken(), attempt };
  const run = newRun(storage, thread, record);
  if (!run.ok) return run;
  const given = giveNotes(run.value, notes.value);
  if (!given.ok) return given;
  const args = [...plan.agent.args, thread, plan.role];
  const inside = { command, args };
  return ok({
    run: run.value,
    hasNotes: given.value,
    ...(walls === null ? inside : walls.value(run.value, inside)),
  });
}

function environment(
  { host, workFolder, storage, thread, chain, keyNames, redactor }: PlacedState,
  plan: RunPlan,
  run: RunDir,
  hasNotes: boolean,
) {
  return agentEnvironment(host.env, {
    passed: plan.agent.env,
    resume: plan.agent.resume,
    root: storage.root,
    workFolder,
    head: chain.head,
    token: run.token,
    notes: hasNotes ? run.notes : null,
    stepKey: `${thread}-${chain.head}`,
    agent: agentText({ redactor }, plan),
    keyNames,
    isSecret: (text) => redactor.text(text) !== text,
  });
}

function childSpec(
  state: PlacedState,
  plan: RunPlan,
  { run, hasNotes, command, args }: Ready,
): Omit<ChildSpec, "cgroup" | "onTick" | "resultSeen"> {
  const { host, workFolder, signals } = state;
  const { timeoutMs, idleMs } = plan.agent;
  return {
    command,
    args,
    cwd: workFolder,
    env: environment(state, plan, run, hasNotes),
    stdin: { kind: "null" },
    stdout: { kind: "file", path: run.stdout },
    stderr: { kind: "file", path: run.stderr },
    pidFile: run.pidFile,
    limits: { timeoutMs, idleMs, graceMs: graceMs(host.env) },
    lastActivity: () => modifiedAt(run.heartbeat),
    abort: signals.abort,
    token: run.token,
  };
}

/** Checks stdout again only when its size has changed. */
function watchResult(run: RunDir, isResult: () => boolean): () => boolean {
  let size = 0;
  let seen = false;
  return () => {
    const now = readSize(run.stdout);
    if (now === size) return seen;
    size = now;
    seen = isResult();
    return seen;
  };
}

function readSize(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Epoch ms; 0 for a missing file. */
function modifiedAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
