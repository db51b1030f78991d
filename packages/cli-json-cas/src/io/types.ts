/** What the command may touch of the process it runs in. Nothing below `bin/` reads `process`. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** A closed reader (`| head -1`) is not an error: what it no longer takes is dropped. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Everything that stands on stdin, until its end. */
  /** `null`: more than `limit` bytes. */
  readonly readStdin: (limit: number) => Uint8Array | null;
};
