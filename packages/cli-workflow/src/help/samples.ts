/** What a command prints for a person. */
export type Sample = {
  /** Without `uwf`. */
  readonly command: string;
  /** `…` alone stands for further lines. */
  readonly prints: string;
};

/**
 * What commands print, from a real run; a test compares each with one. A line that ends with `…` is the beginning of one.
 */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  "cas put-text": { command: 'cas put-text "The parser, then its tests."', prints: "7383PTTAA68JM" },
  "cas file put": { command: "cas file put report.html", prints: "6PRC90G3SQT6F" },
  "cas file get": {
    command: "cas file get 6PRC90G3SQT6F -o copy.html",
    prints: "wrote /home/kim/copy.html, 25 KiB",
  },
};
