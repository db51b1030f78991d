/** The process around the agent. */
export type Port = {
  readonly cwd: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
};
