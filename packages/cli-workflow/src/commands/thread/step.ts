import { type RawStepRequest, takeStep } from "../../step/index.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

export async function threadStep(context: CommandContext, raw: RawStepRequest): CommandResult {
  const output = await takeStep(context, raw);
  return output.ok ? document(output.value) : output;
}
