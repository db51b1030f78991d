import { type Fault, messageOf, type Result } from "@uncaged/workflow-protocol";

/** A failure of uwf's own, on its way through the group to the program. */
export class StorageFault extends Error {
  readonly fault: Fault;
  constructor(failure: Fault) {
    super(messageOf(failure));
    this.name = "StorageFault";
    this.fault = failure;
  }
}

/** The group throws where uwf returns. */
export function orThrow<T>(result: Result<T, Fault>): T {
  if (!result.ok) throw new StorageFault(result.error);
  return result.value;
}
