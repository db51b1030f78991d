/** A program and its arguments, started as a process of its own. */
export type Command = readonly [program: string, ...args: string[]];

/** One thing that is timed as a whole process. */
export type Subject = {
  readonly name: string;
  readonly command: Command;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Its exit status; a command that ends otherwise was not measured. */
  readonly exitCode: number;
  /** Brings the world back to where every run begins; not timed. */
  readonly prepare: () => Promise<void>;
};

/** Wall time of one process, from its start to its end. */
export type Run = {
  readonly ms: number;
  /** The most memory it had at once, in MB; without its children. `null` where the system does not tell. */
  readonly peakMb: number | null;
};

export type Figures = {
  readonly name: string;
  readonly runs: number;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly peakMb: number | null;
};
