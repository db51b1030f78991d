import { type Fault, hintOf, isRoutingFault, messageOf } from "@uncaged/workflow-protocol";
import { readStuck, writeStuck } from "@uncaged/workflow-store";
import type { StepState } from "./types.js";

/**
 * Records that the decision failed: in the log, once per head, and in a file beside the thread's runs, for `thread list`
 * and `thread show`. The log comes first: if we die in between, the next step logs it again.
 */
export function noteStuck({ storage, thread, log, host, warn }: StepState, failure: Fault): void {
  if (!isRoutingFault(failure) || failure.head === null) return;
  const { code, role } = failure;
  const place = { thread, head: failure.head };
  const known = readStuck(storage, place);
  if (known.ok && known.value?.code === code) return;
  const message = messageOf(failure);
  log("M5WZ8D2H", message, "stuck", { code, role, head: failure.head });
  const stuck = {
    outcome: "routing",
    code,
    message,
    hint: hintOf(failure),
    role,
    timestamp: host.now(),
  } as const;
  const written = writeStuck(storage, place, stuck);
  if (!written.ok) warn(`cannot store that the thread is stuck: ${messageOf(written.error)}`);
}
