import { err, type Fault, ok, type Result, type StepOutput } from "@uncaged/workflow-protocol";
import { parse, type RawStepRequest, type StepDeps, type StepRequest, step } from "../../step/index.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { watchProgress } from "./progress.js";

type RunRequest = RawStepRequest & { readonly maxSteps: number | null };

/** Steps until the thread is done or `maxSteps` is reached; prints the last step. */
export async function threadRun(context: CommandContext, raw: RunRequest): CommandResult {
  const request = parse(raw);
  if (!request.ok) return request;
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const deps = { ...context, storage: storage.value };
  const last = await stepUntil(deps, request.value, raw.maxSteps ?? Number.POSITIVE_INFINITY);
  return last.ok ? document(last.value) : last;
}

async function stepUntil(
  deps: StepDeps,
  request: StepRequest,
  maxSteps: number,
): Promise<Result<StepOutput, Fault>> {
  for (let count = 1; ; count += 1) {
    const progress = watchProgress(deps, request.thread, count);
    const output = await step(progress.deps, request);
    progress.finish(output);
    if (!output.ok) return err(output.error);
    if (output.value.done || count >= maxSteps) return ok(output.value);
  }
}
