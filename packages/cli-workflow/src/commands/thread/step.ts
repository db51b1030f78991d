import { parse, type RawStepRequest, step, threadFailure } from "../../step/index.js";
import { documentWith } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

export async function threadStep(context: CommandContext, raw: RawStepRequest): CommandResult {
  const request = parse(raw, context.host);
  if (!request.ok) return request;
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const output = await step({ ...context, storage: storage.value }, request.value);
  return output.ok ? documentWith(output.value, threadFailure(output.value)) : output;
}
