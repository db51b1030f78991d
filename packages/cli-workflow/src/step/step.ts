import { join } from "node:path";
import {
  err,
  type Fault,
  fault,
  ok,
  problemLine,
  type Result,
  type StepOutput,
} from "@uncaged/workflow-protocol";
import { type Claim, loadConfig, releaseClaim } from "@uncaged/workflow-store";
import { createLogger } from "@uncaged/workflow-util";
import { advance } from "./advance.js";
import { claim } from "./claim.js";
import { decide } from "./decide.js";
import { archive, finish } from "./finish.js";
import { linearise } from "./linearise.js";
import { plan } from "./plan.js";
import { print } from "./print.js";
import { runAgent } from "./run-agent.js";
import { watchSignals } from "./signals.js";
import { endedMeanwhile } from "./stop.js";
import type { Plan, Road, RunPlan, StepDeps, StepRequest } from "./types.js";

/**
 * One cycle, then nothing stays running: parse (before), claim, linearise, decide, plan, run, verify (inside run:
 * a run's result is what passed it), advance, finish, print.
 */
export async function step(deps: StepDeps, request: StepRequest): Promise<Result<StepOutput, Fault>> {
  const claimed = await claim(deps, request);
  if (!claimed.ok) return claimed;
  const signals = watchSignals(deps.host);
  try {
    const road = enterRoad(deps, claimed.value, signals);
    return road.ok ? await walk(road.value, request) : road;
  } finally {
    signals.stop();
    releaseClaim(claimed.value);
  }
}

function enterRoad(deps: StepDeps, claimed: Claim, signals: Road["signals"]): Result<Road, Fault> {
  const history = linearise(deps.storage, claimed.head);
  if (!history.ok) return history;
  const { thread } = claimed;
  const log = createLogger({ dir: join(deps.storage.root, "logs"), now: deps.host.now, thread });
  return ok({ ...deps, ...history.value, claim: claimed, thread, log, signals });
}

async function walk(road: Road, request: StepRequest): Promise<Result<StepOutput, Fault>> {
  const decision = await decide(road.chain.workflow.payload, road.history);
  if (!decision.ok) return decision;
  const config = decision.value.kind === "end" ? ok(null) : await readConfig(road);
  if (!config.ok) return config;
  const planned = plan({
    decision: decision.value,
    workflow: road.chain.workflow.payload,
    config: config.value,
    request,
  });
  return planned.ok ? carryOut(road, planned.value, request) : planned;
}

async function readConfig(road: Road) {
  const config = await loadConfig(road.storage);
  if (!config.ok) return config;
  for (const problem of config.value.warnings) road.warn(problemLine(problem, config.value.file));
  return ok(config.value.config);
}

async function carryOut(road: Road, planned: Plan, request: StepRequest): Promise<Result<StepOutput, Fault>> {
  if (planned.kind === "run") return runAndAdvance(road, planned, request);
  const done = await archive(road, road.chain.head);
  return done.ok ? ok(print(road, road.chain.head, done.value, null)) : done;
}

async function runAndAdvance(
  road: Road,
  planned: RunPlan,
  request: StepRequest,
): Promise<Result<StepOutput, Fault>> {
  const result = await runAgent(road, planned, request.waitMs);
  // A run that failed because somebody killed the thread: that is what the person wants to hear.
  if (result.kind === "failed") return err(endedMeanwhile(road) ?? result.fault);
  const moved = await advance(road, result.step);
  if (!moved.ok) return moved;
  const done = await finish(road, result.step);
  const output = print(road, result.step.hash, done.ok && done.value, result.run);
  if (!done.ok) return done;
  const signal = road.signals.received();
  return signal === null ? ok(output) : err(fault("INTERRUPTED", { signal, recorded: result.step.hash }));
}
