import type { Format } from "../render/index.js";

/** A `thread step` line without anything unusual. */
export type StepLine = {
  readonly thread: string;
  readonly agent: string | null;
  readonly format: Format | null;
};
