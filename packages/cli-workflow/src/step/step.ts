import { join } from "node:path";
import type { Decision } from "@uncaged/workflow-moderator";
import { err, type Fault, fault, ok, type Result, type StepOutput } from "@uncaged/workflow-protocol";
import { type Claim, checkTrust, clearStuck, releaseClaim, type Storage } from "@uncaged/workflow-store";
import { createLogger } from "@uncaged/workflow-util";
import { givenFolder } from "../folder.js";
import type { Host, Messages } from "../io.js";
import { record } from "./advance.js";
import { claim } from "./claim.js";
import { decide } from "./decide.js";
import { archive, finish } from "./finish.js";
import { keepWhole, linearise } from "./linearise.js";
import { parse } from "./parse.js";
import { configure, NOTHING_CONFIGURED, plan } from "./plan.js";
import { print } from "./print.js";
import { runAgent } from "./run-agent.js";
import { endedMeanwhile, watchSignals } from "./stop.js";
import { noteStuck } from "./stuck.js";
import type { RawStepRequest, Road, RunPlan, RunRoad, StepDeps, StepRequest } from "./types.js";

/**
 * One cycle, then nothing stays running: parse (before), claim, linearise, decide, plan, run, verify (inside run:
 * a run's result is what passed it), advance, finish, print.
 */
export async function step(deps: StepDeps, request: StepRequest): Promise<Result<StepOutput, Fault>> {
  const trusted = checkTrust(deps.storage, deps.host.env);
  if (!trusted.ok) return trusted;
  const folder = givenFolder(deps.host.cwd, request.cwd);
  if (!folder.ok) return folder;
  const signals = watchSignals(deps.host);
  try {
    const claimed = await claim(deps, request, signals);
    return claimed.ok
      ? await stepClaimed(deps, { ...request, cwd: folder.value }, claimed.value, signals)
      : claimed;
  } finally {
    signals.stop();
  }
}

async function stepClaimed(
  deps: StepDeps,
  request: StepRequest,
  claimed: Claim,
  signals: Road["signals"],
): Promise<Result<StepOutput, Fault>> {
  try {
    const road = enterRoad(deps, claimed, signals);
    if (!road.ok) return road;
    const output = await walk(road.value, request);
    if (!output.ok) noteStuck(road.value, output.error);
    return output;
  } finally {
    releaseClaim(claimed);
  }
}

function enterRoad(deps: StepDeps, claimed: Claim, signals: Road["signals"]): Result<Road, Fault> {
  const chain = linearise(deps.storage, claimed.head);
  if (!chain.ok) return chain;
  const { thread } = claimed;
  const log = createLogger({ dir: join(deps.storage.root, "logs"), now: deps.host.now, thread });
  const whole = keepWhole({ storage: deps.storage, thread, chain: chain.value });
  return ok({ ...deps, chain: chain.value, whole, claim: claimed, thread, log, signals });
}

async function walk(road: Road, request: StepRequest): Promise<Result<StepOutput, Fault>> {
  const decision = await decide(road);
  if (!decision.ok) return decision;
  clearStuck(road.storage, road.thread);
  const configured = decision.value.kind === "end" ? ok(NOTHING_CONFIGURED) : await configure(road);
  if (!configured.ok) return configured;
  const output = await carryOut({ ...road, ...configured.value }, decision.value, request);
  return output.ok ? output : err(configured.value.redactor.value(output.error));
}

async function carryOut(
  road: RunRoad,
  decision: Decision,
  request: StepRequest,
): Promise<Result<StepOutput, Fault>> {
  const { config, chain } = road;
  const planned = plan({ decision, workflow: chain.workflow.payload, config, request });
  if (!planned.ok) return planned;
  if (planned.value.kind === "run") return runAndAdvance(road, planned.value, request);
  const ended = await archive(road, chain.head, planned.value.reason);
  return ended.ok ? ok(print(road, chain.head, ended.value)) : ended;
}

async function runAndAdvance(
  road: RunRoad,
  planned: RunPlan,
  request: StepRequest,
): Promise<Result<StepOutput, Fault>> {
  const result = await runAgent(road, planned, request);
  // A run that failed because somebody killed the thread: that is what the person wants to hear.
  if (result.kind === "failed") return err(endedMeanwhile(road) ?? result.fault);
  const moved = await record(road, planned, result);
  if (!moved.ok) return moved;
  const ended = await finish(road, result.step);
  if (!ended.ok) return ended;
  const output = print(road, result.step.hash, ended.value);
  const signal = road.signals.received();
  // One that comes when the thread is over has interrupted nothing.
  if (signal === null || output.done) return ok(output);
  // It may come from a kill, when this step counted already: nobody can go on then, as the other hint says.
  return err(endedMeanwhile(road) ?? fault("INTERRUPTED", { signal, recorded: result.step.hash }));
}

type Parts = Messages & {
  readonly host: Host;
  readonly openStorage: () => Result<Storage, Fault>;
};

/** Stages 1 to 10. */
export async function takeStep(
  { openStorage, ...parts }: Parts,
  raw: RawStepRequest,
): Promise<Result<StepOutput, Fault>> {
  const request = parse(raw);
  if (!request.ok) return request;
  const storage = openStorage();
  return storage.ok ? step({ ...parts, storage: storage.value }, request.value) : storage;
}
