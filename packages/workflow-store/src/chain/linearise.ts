import type { Hash, Store } from "@uncaged/json-cas";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { openHistory } from "./history.js";
import type { Chain } from "./types.js";

/** Stage 3: the thread's whole history, oldest step first. Whatever is missing, damaged or of the wrong kind is `CHAIN_DAMAGED`. */
export function linearise(store: Store, head: Hash): Result<Chain, Fault> {
  const history = openHistory(store, head);
  if (!history.ok) return history;
  const { workflow, start, last } = history.value;
  const steps = last(null);
  return steps.ok ? ok({ head, workflow, start, steps: steps.value }) : steps;
}
