import type { Fault, Result } from "@uncaged/workflow-protocol";

/** A fault on its way through code that cannot return one: a getter of the context, a generator. */
export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.code);
    this.name = "FaultError";
    this.fault = fault;
  }
}

export function orThrow<T>(result: Result<T, Fault>): T {
  if (result.ok) return result.value;
  throw new FaultError(result.error);
}
