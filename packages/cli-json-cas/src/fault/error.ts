import type { InputFault } from "./types.js";

/** What the group's actions throw besides `CasError`: something is wrong with the input. */
export class CasInputError extends Error {
  readonly fault: InputFault;
  constructor(fault: InputFault) {
    super(fault.code);
    this.name = "CasInputError";
    this.fault = fault;
  }
}
