import { decide } from "@uncaged/workflow-moderator";
import { type Fault, isRoutingFault, ok, type Result, START } from "@uncaged/workflow-protocol";
import type { Place } from "@uncaged/workflow-report";
import {
  findHeld,
  fullHistory,
  type OpenHistory,
  type Storage,
  type ThreadState,
} from "@uncaged/workflow-store";
import { decideBy, targetName } from "./step/index.js";

/** Where a thread stands in the graph of its workflow; `null` once it has ended by itself. */
export async function placeOf(
  storage: Storage,
  state: ThreadState,
  chain: OpenHistory,
): Promise<Result<Place | null, Fault>> {
  const node = chain.newest?.payload.role ?? START;
  if (state.kind === "ended") return ok(state.reason === "killed" ? { node, state: "killed" } : null);
  const history = fullHistory(storage, state.thread, chain, "read");
  const place = { storage, chain, history };
  const decision = await decideBy(place, (seen) => decide(chain.workflow.payload, seen));
  if (!decision.ok) return isRoutingFault(decision.error) ? ok({ node, state: "stuck" }) : decision;
  const held = await findHeld(storage, state);
  if (!held.ok) return held;
  return ok({ node: targetName(decision.value), state: held.value === null ? "next" : "waiting" });
}
