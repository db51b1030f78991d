import type { Fault, Result, StepOutput } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import type { Host, Messages } from "../io/index.js";
import { parse } from "./parse.js";
import { step } from "./step.js";
import type { RawStepRequest } from "./types.js";

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
