import type { ThreadView } from "@uncaged/workflow-engine";
import { err, type Fault, ok, type Result, START } from "@uncaged/workflow-protocol";
import type { GraphPoint } from "@uncaged/workflow-report";

/** Where a thread stands in the graph of its workflow; `null` once it has ended by itself, or if it was not decided. */
export function findGraphPoint(view: ThreadView): Result<GraphPoint | null, Fault> {
  const { ended, history, state, next, stuck, damage, isUndecided } = view;
  if (damage !== null) return err(damage);
  const last = history?.newest?.payload.role ?? START;
  if (ended !== null) return ok(ended.reason === "killed" ? { node: last, state: "killed" } : null);
  if (stuck !== null) return ok({ node: last, state: "stuck" });
  if (isUndecided) return ok(null);
  return ok({ node: next ?? last, state: state === "held" ? "waiting" : "next" });
}
