import { err, type Fault, fault, type Result, type StepOutput } from "@uncaged/workflow-protocol";
import { advance } from "./advance.js";
import { claim, release } from "./claim.js";
import { decide } from "./decide.js";
import { finish, finishAtOnce } from "./finish.js";
import { heldAtClaim } from "./held.js";
import { linearise } from "./linearise.js";
import { plan } from "./plan.js";
import { print } from "./print.js";
import { firstTry, retry } from "./retry.js";
import { runAgent } from "./run-agent.js";
import { endedMeanwhile } from "./stop.js";
import type { RunState, StepDeps, StepRequest, StepState } from "./types.js";
import { verify } from "./verify.js";

/** One cycle; nothing stays running afterwards. Stage 1, `parse`, has made the request. */
export async function step(deps: StepDeps, request: StepRequest): Promise<Result<StepOutput, Fault>> {
  const claimed = await claim(deps, request);
  if (!claimed.ok) return claimed;
  try {
    const held = await heldAtClaim(deps, claimed.value, request);
    if (held !== null) return err(held);
    const past = linearise(deps.storage, claimed.value);
    if (!past.ok) return past;
    const state: StepState = { ...deps, ...claimed.value, ...past.value };
    const decision = await decide(state);
    if (!decision.ok) return decision;
    const planned = await plan(state, decision.value, request);
    if (!planned.ok) return planned;
    if (planned.value.kind === "stop") return print(state, state.chain.head, null);
    if (planned.value.kind === "archive") {
      const ended = await finishAtOnce(state, planned.value.reason);
      return ended.ok ? print(state, state.chain.head, ended.value) : ended;
    }
    const task = planned.value;
    const { answer } = request;
    const { payers, recordedFolder } = task;
    const run: RunState = { ...state, ...task.configured, answer, payers, recordedFolder };
    // Keys are removed from every fault: text of an agent, a file or a path may contain one.
    const failed = (fault: Fault): Result<never, Fault> => err(run.redactor.fault(fault));
    let tries = firstTry(request);
    // Every `runAgent`, retries included, first looks for a run that was left behind.
    let verified = await verify(run, task, await runAgent(run, task, tries));
    while (!verified.ok) {
      const next = await retry(run, task, tries, verified.error);
      // If the run failed because the thread was killed, report the kill.
      if (!next.ok) return failed(endedMeanwhile(run) ?? next.error);
      tries = next.value;
      verified = await verify(run, task, await runAgent(run, task, tries));
    }
    const advanced = await advance(run, task, verified.value);
    if (!advanced.ok) return failed(advanced.error);
    const ended = await finish(run, verified.value.step);
    if (!ended.ok) return failed(ended.error);
    // The run that a dead uwf had left was paid for and came first: the question is gone.
    if (answer !== null && verified.value.run !== null) {
      return failed(fault("QUESTION_GONE", { thread: run.thread, head: answer.head, by: null }));
    }
    const printed = print(run, verified.value.step.hash, ended.value);
    return printed.ok ? printed : failed(printed.error);
  } finally {
    release(claimed.value);
  }
}
