import type { Fault, Result } from "@uncaged/workflow-protocol";
import { type Claim, claimThread, findThread } from "@uncaged/workflow-store";
import type { StepDeps, StepRequest } from "./types.js";

/** Stage 2: the thread's lock and its head, or busy (75), ended (8), unknown (3). */
export async function claim(deps: StepDeps, request: StepRequest): Promise<Result<Claim, Fault>> {
  const found = await findThread(deps.storage, request.thread);
  if (!found.ok) return found;
  return claimThread(deps.storage, found.value.thread, { waitMs: request.waitMs });
}
