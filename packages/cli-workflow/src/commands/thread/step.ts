import { type RawStepRequest, takeStep, threadFailure } from "../../step/index.js";
import { documentWith } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

export async function threadStep(context: CommandContext, raw: RawStepRequest): CommandResult {
  const output = await takeStep(context, raw);
  return output.ok ? documentWith(output.value, threadFailure(output.value)) : output;
}
