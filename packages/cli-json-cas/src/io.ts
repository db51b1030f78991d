/** What the command may touch of the process it runs in. Nothing below `bin/` reads `process`. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Epoch ms. */
  readonly now: () => number;
  /**
   * A closed reader (`| head -1`) is not an error: what it no longer reads is dropped. Throws `CasError` `IO_FAILED` if
   * stdout cannot be written.
   */
  readonly out: (content: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  /** All of stdin, until its end; `null` for more than `limit` bytes. */
  readonly readStdin: (limit: number) => Uint8Array | null;
};
