import type { Hold } from "../store/index.js";
import type { StoreProblem } from "../verify/index.js";

export type RepairOptions = {
  /** Epoch ms. */
  readonly now: number;
  /** Keeps a gc out while nodes are put back. */
  readonly hold: Hold;
  /** What stays damaged. */
  readonly tell: (problem: StoreProblem) => void;
};

export type RepairFigures = {
  /** Nodes that a gc which died had set aside. */
  readonly restored: number;
  /** Temporary files of dead writers. */
  readonly temporaryFiles: number;
  readonly indexLinesAdded: number;
  readonly indexLinesRemoved: number;
};
