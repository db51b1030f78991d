import type { StepContext } from "@uncaged/workflow-protocol";

export type JsonValue = StepContext["output"];
