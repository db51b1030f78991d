import { type Fault, hintOf, isRoutingFault, messageOf } from "@uncaged/workflow-protocol";
import { readStuck, writeStuck } from "@uncaged/workflow-store";
import type { StepState } from "./types.js";

/**
 * A decision that fails is a fact about the thread, for those who look at it later: told to the log once per head, and
 * kept beside the thread's runs. First the log: whoever dies in between has the next step tell it again.
 */
export function noteStuck({ storage, thread, log, host, warn }: StepState, failure: Fault): void {
  if (!isRoutingFault(failure) || failure.head === null) return;
  const { code, role } = failure;
  const place = { thread, head: failure.head };
  const known = readStuck(storage, place);
  if (known.ok && known.value?.code === code) return;
  const message = messageOf(failure);
  log("M5WZ8D2H", message, { event: "stuck", code, role, head: failure.head });
  const told = {
    outcome: "routing",
    code,
    message,
    hint: hintOf(failure),
    role,
    timestamp: host.now(),
  } as const;
  const written = writeStuck(storage, place, told);
  if (!written.ok) warn(`that the thread is stuck is told here only: ${messageOf(written.error)}`);
}
