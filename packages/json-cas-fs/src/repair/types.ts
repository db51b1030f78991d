export type RepairFigures = {
  /** Nodes that a gc which died had set aside. */
  readonly restored: number;
  /** Temporary files of dead writers. */
  readonly temporaryFiles: number;
  readonly indexLinesAdded: number;
  readonly indexLinesRemoved: number;
};
