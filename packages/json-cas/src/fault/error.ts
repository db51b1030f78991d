import { faultMessage } from "./message.js";
import type { CasFault } from "./types.js";

/** What the store's functions throw for an expected failure; `fault` is the data, `message` its sentence. */
export class CasError extends Error {
  readonly fault: CasFault;
  constructor(fault: CasFault) {
    super(faultMessage(fault));
    this.name = "CasError";
    this.fault = fault;
  }
}
