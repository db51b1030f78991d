import { err, ok, type Result } from "@uncaged/json-schema";
import { type DocxFault, Refused } from "./fault.js";

/** What `run` gives, or the fault with which it was refused. A bug still throws. */
export function attempt<T>(run: () => T): Result<T, DocxFault> {
  try {
    return ok(run());
  } catch (error) {
    if (error instanceof Refused) return err(error.fault);
    throw error;
  }
}
