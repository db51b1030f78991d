/** How the agent reaches hermes; the binary hands in the real surroundings. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly heartbeat: () => void;
  /** Lines of hermes's stderr go on to ours as they come. */
  readonly stderr: (line: string) => void;
};

/** One call of hermes that came to its end. */
export type HermesRun = {
  /** `null`: it ended otherwise than by exiting. */
  readonly code: number | null;
  /** `exited with 1`, `was ended by SIGKILL`. */
  readonly outcome: string;
  readonly stdout: string;
  readonly stderr: string;
};
