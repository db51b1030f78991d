/** What a run of many cases came to. */
export type BatchReport = {
  readonly cases: number;
  /** Of the slowest case, processor time in ms. */
  readonly slowestMs: number;
  /** The shrunken counterexample with what was wrong; `null` when every case held. */
  readonly failure: string | null;
};

/** Cases of one kind of input, tried in this process. */
export type Batch = (seed: number, cases: number) => Promise<BatchReport>;

export type Desk = {
  /** Empty and this subject's own. */
  readonly folder: string;
  /** A case that takes longer again and again is a violation. */
  readonly slowMs: number;
};

export type Subject = {
  /** The figure of the report. */
  readonly name: string;
  /** Cases of the sample, which take a second or two together. */
  readonly sample: number;
  /** Cases of one batch of a full run. */
  readonly batch: number;
  /** Its part of the time, relative to the others. */
  readonly weight: number;
  /** Makes what the cases need. */
  readonly open: (desk: Desk) => Promise<Batch>;
};
