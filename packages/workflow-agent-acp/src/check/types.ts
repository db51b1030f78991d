/** What `--check` prints. */
export type Report = {
  readonly agent: string;
  /** `null` when no command was named. */
  readonly program: string | null;
  readonly installed: boolean;
  readonly path: string | null;
  /** As the agent tells it; `null` when it does not, or does not answer. */
  readonly version: string | null;
  /** `null`: only a prompt would tell. */
  readonly loggedIn: boolean | null;
  /** How it logs in, or what to do. */
  readonly how: string;
  /** Whether a role that is visited again goes on in its session. */
  readonly continues: boolean | null;
};

export type CheckPort = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** ms until the agent has answered. */
  readonly startMs: number;
  readonly graceMs: number;
  readonly stdout: (text: string) => void;
  readonly stderr: (line: string) => void;
};
