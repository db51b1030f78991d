import type { SessionFacts, Why } from "@uncaged/workflow-agent-kit";
import type { AgentEvent, JsonRecord, Tokens } from "../events.js";
import type { Env, Surroundings } from "../program.js";

/**
 * A program that works as an agent by itself: how to call it and read its output, and what help, documents, sandbox and
 * tests are made of. All functions are pure but `keptSession`; write one to support another CLI.
 */
export type Adapter = {
  /** `claude` of uwf-claude. */
  readonly name: string;
  /** Names of its program; the first one found on PATH is used. */
  readonly programs: readonly [string, ...string[]];
  readonly login: (place: LoginContext) => Login;
  /** The variables that the program reads for keys. */
  readonly keyVariables: readonly string[];
  /** Where it keeps logins, sessions and settings, relative to the home folder: a sandbox leaves them writable. */
  readonly ownFolders: readonly string[];
  /** What `bun run test:agents` installs; `null`: nothing that npm has. */
  readonly tried: TriedVersion | null;
  readonly call: (request: Request) => Call;
  /** The events in one JSON object of stdout. */
  readonly events: (record: JsonRecord) => readonly AgentEvent[];
  /** What the `usage` event counts: this process, or the session including earlier processes. */
  readonly usageScope: "run" | "session";
  /** Whether a resume failed because the session does not exist. */
  readonly lost: (end: Ended) => boolean;
  /** The failure on stderr, if stdout has none; `null`: use its most informative line. */
  readonly reasonIn: ((stderr: string) => string | null) | null;
  /** What its exit codes say about a failure with the outcome `outcome`; `null` or absent: nothing. */
  readonly why?: (code: number | null, outcome: string) => Why | null;
  /** How to log in, as the beginning of a sentence. */
  readonly loginHint?: string;
  /** What stderr says of a run that failed although its last record does not; absent: nothing. */
  readonly failedBy?: (stderr: string) => string | null;
  /** The session files that it writes; absent: none of use. */
  readonly sessionFile?: SessionFile;
  /** Reads the sessions that the program keeps, which tell more than its output; absent: they do not. */
  readonly keptSession?: KeptSession;
};

/** A package of npm, and exactly the version with which the adapter was tried. */
export type TriedVersion = {
  readonly package: string;
  readonly version: string;
  /** Whether its install scripts have to run. */
  readonly scripts: boolean;
};

/**
 * Called before a run, since a session that is resumed grows by it (`resume` is `null` for a new one). The function that
 * it gives reads what the run has added, `null` if it cannot be read; `since`: when the run began, epoch ms.
 */
export type KeptSession = (
  resume: string | null,
  place: Surroundings,
) => Promise<(sessionId: string, since: number) => Promise<Omit<SessionFacts, "sessionId"> | null>>;

/**
 * A CLI's session file: the usage of a run that was killed before it reported it. No CLI documents its format, so a file
 * of another shape is ignored.
 */
export type SessionFile = {
  /** The folder that contains it, at any depth. */
  readonly folder: (place: Pick<LoginContext, "env" | "home">) => string;
  readonly isOf: (name: string, sessionId: string) => boolean;
  /** Usage of the run that began at `since`, epoch ms; with the scope `session`, of the whole session. */
  readonly tokens: (records: readonly JsonRecord[], since: number) => Tokens | null;
};

export type Request = {
  readonly prompt: string;
  /** Of the form of `isSessionId`; `null` starts a new session. */
  readonly resume: string | null;
  /** The user's own arguments for the CLI; they override ours. */
  readonly args: readonly string[];
  readonly env: Env;
  /** Whether we are root. */
  readonly isRoot: boolean;
};

export type Call = {
  /** A text from elsewhere (prompt, session) stands here as `--option=<text>` or behind `--`, so that it can be no option. */
  readonly args: readonly string[];
  /** `null`: stdin is /dev/null. */
  readonly stdin: string | null;
  /** Set unless the user's environment sets them. */
  readonly env: Readonly<Record<string, string>>;
};

export type Ended = {
  /** `null`: it did not exit by itself. */
  readonly code: number | null;
  readonly stderr: string;
  /** Whether stdout named a session. */
  readonly hasSession: boolean;
};

/** What an offline login check can use. */
export type LoginContext = {
  readonly env: Env;
  readonly home: string;
  /** `linux`, `darwin`, as in Node.js. */
  readonly platform: string;
  /** The text of a file; `null`: missing or unreadable. */
  readonly read: (path: string) => string | null;
};

/** `unknown`: not known offline. `how` ends the sentence "logged in: yes, by …". */
export type Login = { readonly state: "yes" | "no" | "unknown"; readonly how: string };
