import { type Fault, fault, ok, type Result, type StepOutput } from "@uncaged/workflow-protocol";
import {
  parse,
  type RawStepRequest,
  type StepDeps,
  type StepRequest,
  step,
  threadFailure,
} from "../../step/index.js";
import { documentWith } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { watchProgress } from "./progress.js";

type RunRequest = RawStepRequest & { readonly maxSteps: number | null };

/**
 * Steps until the thread has ended or `maxSteps` is reached; prints the last state. One that has not ended then is told
 * with exit code 9.
 */
export async function threadRun(context: CommandContext, raw: RunRequest): CommandResult {
  const request = parse(raw);
  if (!request.ok) return request;
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const deps = { ...context, storage: storage.value };
  const last = await stepUntil(deps, request.value, raw.maxSteps ?? Number.POSITIVE_INFINITY);
  if (!last.ok) return last;
  const { output, steps } = last.value;
  const unfinished = output.done ? null : fault("RUN_UNFINISHED", { thread: output.thread, steps });
  return documentWith(output, unfinished ?? threadFailure(output));
}

type Last = { readonly output: StepOutput; readonly steps: number };

async function stepUntil(
  deps: StepDeps,
  request: StepRequest,
  maxSteps: number,
): Promise<Result<Last, Fault>> {
  for (let steps = 1; ; steps += 1) {
    const progress = watchProgress(deps, request.thread, steps);
    const output = await step(progress.deps, request);
    progress.finish(output);
    if (!output.ok) return output;
    if (output.value.done || steps >= maxSteps) return ok({ output: output.value, steps });
  }
}
