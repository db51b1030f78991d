import type { Standing } from "@uncaged/workflow-engine";
import { err, type Fault, ok, type Result, START } from "@uncaged/workflow-protocol";
import type { Place } from "@uncaged/workflow-report";
import type { OpenHistory, ThreadState } from "@uncaged/workflow-store";

/** Where a thread stands in the graph of its workflow; `null` once it has ended by itself, or if it was not decided. */
export function placeOf(
  state: ThreadState,
  chain: OpenHistory,
  { role, next, held, stuck, damage, isUndecided }: Standing,
): Result<Place | null, Fault> {
  const last = chain.newest?.payload.role ?? START;
  if (state.kind === "ended") return ok(state.reason === "killed" ? { node: last, state: "killed" } : null);
  if (damage !== null) return err(damage);
  if (stuck !== null) return ok({ node: last, state: "stuck" });
  if (isUndecided) return ok(null);
  return ok({ node: role ?? next ?? last, state: held === null ? "next" : "waiting" });
}
