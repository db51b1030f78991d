/** Random choices that a seed repeats. */
export type Random = {
  /** In [0, 1). */
  readonly next: () => number;
  /** An integer in [0, below). */
  readonly below: (below: number) => number;
  readonly pick: <T>(items: readonly [T, ...T[]]) => T;
};

/** What one kind of fault gets to work with. */
export type Session = {
  readonly random: Random;
  readonly seed: number;
  /** A sample is small and always the same; a full run goes on until its time is over. */
  readonly level: "sample" | "full";
  /** Whether another round should begin: after the sample's rounds, or when the time is over, it should not. */
  readonly more: (roundsDone: number) => boolean;
  /** Adds to a figure of the report. */
  readonly count: (figure: string, by?: number) => void;
  /** Says that a promise is broken; the evidence lets a person repeat it. */
  readonly broken: (promise: string, evidence: string) => void;
  /** An empty folder of this kind's own; it is gone when the run is over. */
  readonly folder: string;
};

/** One way of breaking things. */
export type Kind = {
  readonly name: string;
  /** What is done, in one sentence, for the report. */
  readonly title: string;
  /** Rounds of the fixed sample that runs in the normal tests. */
  readonly sampleRounds: number;
  /** Its part of a full run's time, relative to the others. */
  readonly weight: number;
  /** Figures that a full run is meant to reach. */
  readonly goals: Readonly<Record<string, number>>;
  readonly run: (session: Session) => Promise<void>;
};

export type Violation = { readonly promise: string; readonly evidence: string };

/** What came of one kind. */
export type KindReport = {
  readonly name: string;
  readonly title: string;
  readonly seconds: number;
  readonly figures: Readonly<Record<string, number>>;
  readonly goals: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
};

/** What came of a run. */
export type Report = {
  /** ISO day. */
  readonly date: string;
  readonly seed: number;
  readonly minutes: number;
  readonly machine: string;
  readonly runtimes: readonly string[];
  readonly kinds: readonly KindReport[];
};
