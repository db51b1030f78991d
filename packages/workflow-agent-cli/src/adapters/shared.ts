import { isObject, type SessionFacts, type Why } from "@uncaged/workflow-agent-kit";
import type { Env, Surroundings } from "../program.js";
import { type AgentEvent, inner, type JsonRecord, recordIn, sumOf, type Tokens, text } from "../trace.js";

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
  /** The events in one JSON object of stdout, by its `type`. */
  readonly events: Readonly<Record<string, (record: JsonRecord) => readonly AgentEvent[]>>;
  /** Those of an object without a type of this table; absent: none. */
  readonly otherEvents?: (record: JsonRecord) => readonly AgentEvent[];
  /** The member of any of these objects that is the session's id; absent: `events` tell it. */
  readonly sessionIn?: string;
  /** What the `usage` event counts: this process, or the session including earlier processes. */
  readonly usageScope: "run" | "session";
  /** What stderr says of a session that does not exist; it counts where stdout names no session. */
  readonly lost: RegExp;
  /** The failure on stderr, if stdout has none; `null` or absent: its most informative line. */
  readonly reasonIn?: (stderr: string) => string | null;
  /** What its exit codes say about a failure with the outcome `outcome`; `null` or absent: nothing. */
  readonly why?: (code: number | null, outcome: string) => Why | null;
  /** How to log in, as the beginning of a sentence. */
  readonly loginHint: string;
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
type SessionFile = {
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

/** The first of these variables that is set. */
export function byVariable({ env }: LoginContext, names: readonly string[]): Login | null {
  const name = names.find((candidate) => Boolean(env[candidate]));
  return name === undefined ? null : { state: "yes", how: name };
}

/** The first of these files that contains more than an empty object. */
export function byFile({ read }: LoginContext, paths: readonly string[]): Login | null {
  const path = paths.find((candidate) => !isBlank(read(candidate)));
  return path === undefined ? null : { state: "yes", how: path };
}

function isBlank(text: string | null): boolean {
  return text === null || /^\s*(?:\{\s*\}\s*)?$/.test(text);
}

/** A JSON file that has this member. */
export function byMember({ read }: LoginContext, path: string, member: string): Login | null {
  const record = recordIn((read(path) ?? "").trim());
  if (record === null) return null;
  const value = record[member];
  const filled = isObject(value) ? Object.keys(inner(record, member)).length > 0 : Boolean(value);
  return filled ? { state: "yes", how: `${member} in ${path}` } : null;
}

export function no(how: string): Login {
  return { state: "no", how };
}

export function unknown(how: string): Login {
  return { state: "unknown", how };
}

/** Keys that agents for several providers look for. */
export const PROVIDER_KEYS: readonly string[] = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "GEMINI_API_KEY",
  "GROQ_API_KEY",
  "DEEPSEEK_API_KEY",
  "MISTRAL_API_KEY",
  "XAI_API_KEY",
];

/** Whether a record's time is at or after `since`. */
export function isSince(record: JsonRecord, since: number): boolean {
  return Date.parse(text(record, "timestamp") ?? "") >= since;
}

/** The sum over the messages, each by its last record; `null`: there are none. */
export function sumOfLast(messages: readonly (readonly [id: string, tokens: Tokens])[]): Tokens | null {
  return sumOf([...new Map(messages).values()]);
}

/** Defaults that apply unless the user's arguments set the same options. */
export function unless(
  args: readonly string[],
  names: readonly string[],
  defaults: readonly string[],
): readonly string[] {
  const decided = args.some((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
  return decided ? [] : defaults;
}
