import { type Fault, messageOf, type Result } from "@uncaged/workflow-protocol";

/** The value of a result that must be good. */
export function good<T>(result: Result<T, Fault | string>): T {
  if (result.ok) return result.value;
  const { error } = result;
  throw new Error(typeof error === "string" ? error : `${error.code}: ${messageOf(error)}`);
}

/** The fault of a result that must be bad. */
export function bad<E>(result: Result<unknown, E>): E {
  if (!result.ok) return result.error;
  throw new Error(`expected a fault, got ${JSON.stringify(result.value)}`);
}
