import type { Figures } from "../measure/index.js";
import type { RuntimeName } from "../runtimes.js";
import type { Target } from "../targets.js";

export type RuntimeReport = {
  readonly runtime: RuntimeName;
  readonly version: string;
  readonly figures: readonly Figures[];
  readonly targets: readonly Target[];
};

export type BenchReport = {
  /** ISO day. */
  readonly date: string;
  readonly machine: string;
  readonly size: "quick" | "full";
  readonly runtimes: readonly RuntimeReport[];
};
