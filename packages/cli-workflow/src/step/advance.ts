import type { Fault, Result } from "@uncaged/workflow-protocol";
import { advanceHead } from "@uncaged/workflow-store";
import type { Road, VerifiedStep } from "./types.js";

/** Stage 8: the head moves to the verified node, if it still is where this step found it and the thread is ours. */
export function advance(road: Road, step: VerifiedStep): Promise<Result<void, Fault>> {
  const { thread, chain, claim } = road;
  return advanceHead(road.storage, { thread, expected: chain.head, next: step.hash, claim });
}
