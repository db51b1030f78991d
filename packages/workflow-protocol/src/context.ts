import type { JsonValue } from "@uncaged/json-cas";
import type { StartNodePayload, StepRecord } from "./nodes.js";

/** A step with its `output` expanded to the payload. */
export type StepContext = Omit<StepRecord, "output"> & { readonly output: JsonValue };

/** What conditions are evaluated over; steps oldest first. */
export type ModeratorContext = {
  readonly start: StartNodePayload;
  readonly steps: readonly StepContext[];
};
