/** What an entry does besides replying; the binary hands in the real ones. */
export type Stage = {
  /** Where a relative path of a scenario starts. */
  readonly cwd: string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Resolves after `ms`, or as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The exit code that the process is to have in the end. */
  readonly exitWith: (code: number) => void;
};
