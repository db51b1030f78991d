import { fault, LIMITS } from "@uncaged/workflow-protocol";
import { FaultError } from "../fault/index.js";

/** A prompt within its limit. Throws `FaultError` `TOO_LARGE`. */
export function withinLimit(prompt: string): string {
  const size = Buffer.byteLength(prompt);
  if (size <= LIMITS.prompt) return prompt;
  throw new FaultError(fault("TOO_LARGE", { what: "the prompt", size, limit: LIMITS.prompt }));
}
