/**
 * What the child reads. A text is in an unlinked file: it cannot block, break or be cut short by our own death. A
 * pipe (`childPipe`) stays open for what is written while the child runs.
 */
export type ChildStdin =
  | { readonly kind: "null" }
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "pipe";
      /** Gets the runtime's own stream, once. */
      readonly attach: (stream: unknown) => void;
      /** The child is gone. */
      readonly detach: () => void;
    };

/** A stdin that stays open. */
export type ChildPipe = {
  readonly stdin: Extract<ChildStdin, { readonly kind: "pipe" }>;
  /** Queued if the child does not read; dropped if it no longer can. */
  readonly write: (text: string) => void;
  /** The child reads the end of its input once it has read the rest. */
  readonly end: () => void;
  /** Bytes that the child has not taken yet; what fits into the system's own buffer counts as taken. */
  readonly pending: () => number;
};

/**
 * Where stdout or stderr goes. `file`: appended to the file at `path`, created 0600; nothing of it passes through us.
 * `memory`: a pipe; the last `limitBytes` are kept, each line goes to `onLine` (without its line end, cut at `limitBytes`).
 */
export type ChildOutput =
  | { readonly kind: "file"; readonly path: string }
  | {
      readonly kind: "memory";
      readonly limitBytes: number;
      readonly onLine?: ((line: string) => void) | null;
    };

/** `null` is no limit. */
type ChildLimits = {
  /** Wall clock. */
  readonly timeoutMs?: number | null;
  /** Time without growth of stdout or stderr and without a change of `lastActivity`. */
  readonly idleMs?: number | null;
  /** Between the polite signal and SIGKILL; also how long a child may linger after its result was seen. */
  readonly graceMs: number;
};

/** What to run; a member that is left out asks for nothing. */
export type ChildSpec = {
  /** An absolute path, see `resolveCommand`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The child's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: ChildStdin;
  readonly stdout: ChildOutput;
  readonly stderr: ChildOutput;
  /** The child creates this file (O_EXCL) and writes its own line of /proc/<pid>/stat into it before it becomes the command. */
  readonly pidFile?: string | null;
  /** The control group that it enters while it starts, see `makeCgroup`. */
  readonly cgroup?: string | null;
  readonly limits: ChildLimits;
  /** A further sign of life: any change of the number counts. */
  readonly lastActivity?: (() => number) | null;
  /** Called about every 100 ms while the child runs, and once after its end. */
  readonly onTick?: (() => void) | null;
  /** Asked about every 100 ms; a child that lives `graceMs` longer than the first `true` is ended. */
  readonly resultSeen?: (() => boolean) | null;
  /** The reason is a signal's name; it is forwarded at once, SIGKILL follows after `graceMs`. */
  readonly abort?: AbortSignal | null;
  /**
   * Value of UWF_RUN in `env`: finds the members of the run that left its process group. An agent has the token of its run
   * itself, so only uwf may look for processes by it.
   */
  readonly token?: string | null;
};

/** The same with all that may be left out. */
export type WholeChildSpec = Required<Omit<ChildSpec, "limits">> & { readonly limits: Required<ChildLimits> };

/** A started process and where its outputs go. */
export type Started = { readonly child: Spawned; readonly outputs: Outputs };

/** One of the child's outputs while it runs. */
export type OpenOutput = {
  readonly channel: Channel;
  /** Bytes that have arrived: its growth is a sign of life. */
  readonly size: () => number;
  /** What was kept; the last unterminated line is delivered. `null` for a file. */
  readonly finish: () => string | null;
  /** Whether all that was delivered was UTF-8; for a file it is not known, and `true`. */
  readonly isUtf8: () => boolean;
  readonly close: () => void;
};

export type Outputs = { readonly stdout: OpenOutput; readonly stderr: OpenOutput };

/** Why the child is gone, or never started. */
export type ChildEnd =
  | Refusal
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signaled"; readonly signal: string }
  | { readonly kind: "timeout"; readonly limit: "wall" | "idle" }
  | { readonly kind: "aborted"; readonly signal: string }
  | { readonly kind: "ended-after-result" };

/** Why the command never ran. */
export type Refusal = IoFailed | { readonly kind: "not-startable"; readonly reason: string };

/** A file that the run needs could not be made or written. */
export type IoFailed = {
  readonly kind: "io-failed";
  /** `create`, `open`, `write`. */
  readonly operation: string;
  readonly path: string;
  /** `ENOSPC`; the system's name. */
  readonly errno: string;
  readonly reason: string;
};

export type ChildOutcome = {
  /** `null` when the command never ran. */
  readonly pid: number | null;
  readonly durationMs: number;
  /** What a `memory` output kept; `null` for a file. */
  readonly stdout: string | null;
  readonly stderr: string | null;
  /** Whether stdout was UTF-8, as far as a `memory` output was read: in its text and lines U+FFFD replaces what was not. */
  readonly isUtf8: boolean;
} & ChildEnd;

/** Names a run's processes: the leader of their group, and the token in their environment. */
export type RunIdentity = {
  readonly pid: number | null;
  /** Field 22 of the leader's /proc/<pid>/stat; distinguishes it from a later process with its pid. */
  readonly startTime: string | null;
  readonly token: string | null;
};

/** How the direct child ended. */
export type Exit = { readonly code: number | null; readonly signal: string | null };

/** A started process, the same on both runtimes. */
export type Spawned = {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** Settles when the piped outputs are read to their end, or closed by `release`. */
  readonly drained: Promise<unknown>;
  /** Gives up the pipes that a surviving grandchild still holds. */
  readonly release: () => void;
};

/** What a pipe's bytes go to. */
export type Sink = (chunk: Uint8Array) => void;

/** One of the child's descriptors 1 and 2: /dev/null, an open file, or a pipe into a sink. */
export type Channel =
  | { readonly kind: "null" }
  | { readonly kind: "fd"; readonly fd: number }
  | { readonly kind: "pipe"; readonly sink: Sink };

export type SpawnRequest = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `null` is /dev/null; a function gets the stream that writes into a pipe. */
  readonly stdin: number | null | ((stream: unknown) => void);
  readonly stdout: Channel;
  readonly stderr: Channel;
};

/** Starts the command as the leader of a new session and group; rejects with system errors. */
export type SpawnFunction = (request: SpawnRequest) => Promise<Spawned>;
