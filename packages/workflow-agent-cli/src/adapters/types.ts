import type { Why } from "@uncaged/workflow-agent-kit";
import type { AgentEvent, JsonRecord, Tokens } from "../events.js";

/** How one CLI is called and what it says. Everything in it is pure; authors write one for another CLI. */
export type Adapter = {
  /** `claude` of uwf-claude. */
  readonly name: string;
  /** Its program; the first of these names that is on PATH. */
  readonly programs: readonly [string, ...string[]];
  readonly call: (request: Request) => Call;
  /** What one JSON object on stdout says. */
  readonly events: (record: JsonRecord) => readonly AgentEvent[];
  /** What the `usage` event counts: this process, or the session with the processes before it. */
  readonly usageScope: "run" | "session";
  /** Whether a process that was to go on in a session failed because there is none. */
  readonly lost: (end: Ended) => boolean;
  /** What stderr tells of a failure where stdout tells nothing; `null`: its most telling line will do. */
  readonly told: ((stderr: string) => string | null) | null;
  /** What its own exit codes say of a failure whose words are `outcome`; `null`, or absent: nothing. */
  readonly why?: (code: number | null, outcome: string) => Why | null;
  /** What logs it in, as the beginning of a sentence. */
  readonly loginHint?: string;
  readonly login: (place: Place) => Login;
  /** What it writes down while it works; absent: nothing that is of use. */
  readonly sessionFile?: SessionFile;
};

/**
 * The file that a CLI keeps of a session: what a run has used that did not live to say so. Not a contract of any of
 * them: a file of another shape tells nothing.
 */
export type SessionFile = {
  /** Below which folder it lies. */
  readonly folder: (place: Pick<Place, "env" | "home">) => string;
  readonly isOf: (name: string, sessionId: string) => boolean;
  /** Of the run that began at `since`, epoch ms; or, with the scope `session`, of the whole session. */
  readonly tokens: (records: readonly JsonRecord[], since: number) => Tokens | null;
};

export type Request = {
  readonly prompt: string;
  /** `null` starts a new session. */
  readonly resume: string | null;
  /** The user's own words for the CLI; where two contradict each other they win. */
  readonly args: readonly string[];
  readonly env: Env;
  /** Whether we are root. */
  readonly isRoot: boolean;
};

export type Env = Readonly<Record<string, string | undefined>>;

export type Call = {
  readonly args: readonly string[];
  /** `null`: nothing to read, not even an open stdin. */
  readonly stdin: string | null;
  /** Set unless the user's environment has them. */
  readonly env: Readonly<Record<string, string>>;
};

export type Ended = {
  /** `null`: it ended otherwise than by exiting. */
  readonly code: number | null;
  readonly stderr: string;
  /** Whether stdout told a session. */
  readonly told: boolean;
};

/** What can be looked at offline to tell whether somebody is logged in. */
export type Place = {
  readonly env: Env;
  readonly home: string;
  /** `linux`, `darwin`, as Node.js names it. */
  readonly platform: string;
  /** The text of a file, `null` when it is not there or cannot be read. */
  readonly read: (path: string) => string | null;
};

/** `unknown`: offline it cannot be told. `how` ends the sentence "logged in: yes, by …". */
export type Login = { readonly state: "yes" | "no" | "unknown"; readonly how: string };
