import { parse, step } from "../../step/index.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

export type RawStepRequest = {
  readonly thread: string;
  readonly agent: string | null;
  readonly waitMs: number;
};

export async function threadStep(context: CommandContext, raw: RawStepRequest): CommandResult {
  const request = parse(raw);
  if (!request.ok) return request;
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const deps = { host: context.host, storage: storage.value, warn: context.warn };
  const output = await step(deps, request.value);
  return output.ok ? document(output.value) : output;
}
