import type { Fault, Result, StepOutput } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import type { Host } from "../io/index.js";
import { parse } from "./parse.js";
import { step } from "./step.js";
import type { RawStepRequest } from "./types.js";

type Parts = {
  readonly host: Host;
  readonly openStorage: () => Result<Storage, Fault>;
  readonly warn: (sentence: string) => void;
};

/** Stages 1 to 10. */
export async function takeStep(
  { host, openStorage, warn }: Parts,
  raw: RawStepRequest,
): Promise<Result<StepOutput, Fault>> {
  const request = parse(raw);
  if (!request.ok) return request;
  const storage = openStorage();
  return storage.ok ? step({ host, storage: storage.value, warn }, request.value) : storage;
}
