/**
 * Who has use of a variable: `person`, who sets it for uwf and its tools; `agent`, which uwf gives it; `command`, which
 * `uwf-exec` or an office program gives it; `process`, one of uwf's own that another one starts.
 */
export type VariableFor = "person" | "agent" | "command" | "process";

/** One environment variable. */
export type EnvironmentVariable = {
  readonly name: string;
  readonly for: VariableFor;
  /** Agents inherit it, whatever `agents.<alias>.env` lists: without these they could not work or report. */
  readonly kept: boolean;
  /** For `uwf help environment` and docs/environment.md: a bundle has it nowhere else (scripts/bins/siblings.ts). */
  readonly does: string;
};

const FOR_PERSON = { for: "person", kept: false } as const;
const KEPT_FOR_PERSON = { for: "person", kept: true } as const;
const FOR_AGENT = { for: "agent", kept: true } as const;
const FOR_COMMAND = { for: "command", kept: false } as const;
const FOR_PROCESS = { for: "process", kept: false } as const;
const KEPT_FOR_PROCESS = { for: "process", kept: true } as const;

/** Every variable that uwf, its agents and its tools read or give. */
export const VARIABLES = {
  storageRoot: {
    name: "UNCAGED_WORKFLOW_STORAGE_ROOT",
    ...KEPT_FOR_PERSON,
    does: "the storage root, `~/.uncaged/workflow` by default; agents get it absolute",
  },
  storageRootShort: {
    name: "WORKFLOW_STORAGE_ROOT",
    ...KEPT_FOR_PERSON,
    does: "the storage root, where `UNCAGED_WORKFLOW_STORAGE_ROOT` is not set or empty",
  },
  errorFormat: {
    name: "UWF_ERROR_FORMAT",
    ...KEPT_FOR_PERSON,
    does: "`json` prints failures as one JSON object; `text` is the default, uwf refuses anything else",
  },
  noColor: {
    name: "NO_COLOR",
    ...FOR_PERSON,
    does: "any value turns colors off; `--color always` turns them on again",
  },
  trustedRoots: {
    name: "UWF_TRUSTED_ROOTS",
    ...KEPT_FOR_PERSON,
    does: "storage roots that you trust although another user owns them or every user may write them: absolute paths, separated by colons. Files in a root name the commands that uwf runs",
  },
  remoteUrl: {
    name: "UWF_REMOTE_URL",
    ...KEPT_FOR_PERSON,
    does: "the remote, for `uwf worker`, `uwf remote` and `--remote`; agents do not get it",
  },
  graceSeconds: {
    name: "UWF_GRACE_SECONDS",
    ...FOR_PERSON,
    does: "time between SIGTERM and SIGKILL for an agent, 5 by default",
  },
  backoffSeconds: {
    name: "UWF_BACKOFF_SECONDS",
    ...FOR_PERSON,
    does: "wait before the first retry of a failed agent, 1 by default; each further one waits twice as long, up to 60 times this",
  },
  runtime: {
    name: "UWF_RUNTIME",
    ...KEPT_FOR_PERSON,
    does: "`bun` or `node`; default: bun if 1.3 or later runs, else Node.js",
  },
  debug: { name: "UWF_DEBUG", ...KEPT_FOR_PERSON, does: "`1` prints a stack trace if uwf itself has a bug" },
  visual: { name: "VISUAL", ...FOR_PERSON, does: "the editor of `uwf thread answer --edit`" },
  editor: { name: "EDITOR", ...FOR_PERSON, does: "the same, where `VISUAL` is not set" },
  cacheHome: {
    name: "XDG_CACHE_HOME",
    ...FOR_PERSON,
    does: "where Node.js 22.8 and newer keep compiled code, in `uwf/`; `~/.cache` by default",
  },
  mockScenario: {
    name: "UWF_MOCK_SCENARIO",
    ...KEPT_FOR_PERSON,
    does: "the scenario of `uwf-mock`, where `--scenario` names none",
  },
  head: { name: "UWF_HEAD", ...FOR_AGENT, does: "the head that the new step continues" },
  run: {
    name: "UWF_RUN",
    ...FOR_AGENT,
    does: "the token of this run, which all its processes inherit; its files are in `runs/<thread>/<token>/`",
  },
  stepKey: {
    name: "UWF_STEP_KEY",
    ...FOR_AGENT,
    does: "an idempotency key, the same for every run of one step: for effects outside the store that may happen only once, such as a payment or a deploy",
  },
  agent: {
    name: "UWF_AGENT",
    ...FOR_AGENT,
    does: "the command as configured: program and arguments, quoted for a shell, without keys, cut at 1,000 characters; a step's `agent`",
  },
  keyNames: {
    name: "UWF_KEY_NAMES",
    ...FOR_AGENT,
    does: "names of variables, separated by commas, whose values must not be stored or shown",
  },
  notes: {
    name: "UWF_NOTES",
    ...FOR_AGENT,
    does: "a file with people's notes for the next run, if there are any: one `{text, by, at}` per line, oldest first",
  },
  resume: {
    name: "UWF_RESUME",
    ...FOR_AGENT,
    does: "`off` if `agents.<alias>.resume` is `false`: no session of an earlier visit may be continued",
  },
  agentEnv: {
    name: "UWF_AGENT_ENV",
    ...FOR_AGENT,
    does: "the variables that the agent may pass to its children, separated by commas, if its alias has `env`",
  },
  thread: { name: "UWF_THREAD", ...FOR_COMMAND, does: "the id of the thread, of a command of `uwf-exec`" },
  role: { name: "UWF_ROLE", ...FOR_COMMAND, does: "the role that a command of `uwf-exec` plays" },
  stepsFile: {
    name: "UWF_STEPS_FILE",
    ...FOR_COMMAND,
    does: "a file with the thread's outputs so far, for a command of `uwf-exec` that asks for it",
  },
  output: {
    name: "UWF_OUTPUT",
    ...FOR_COMMAND,
    does: "an empty file for further fields, of a command of `uwf-exec`",
  },
  officeUsage: {
    name: "UWF_OFFICE_USAGE",
    ...FOR_COMMAND,
    does: "the file into which a program of `uwf-office` writes its model's usage",
  },
  leased: {
    name: "UWF_LEASED",
    ...KEPT_FOR_PROCESS,
    does: "the thread of a remote that the caller leases: only this caller may step it here",
  },
  ignoredSignals: {
    name: "UWF_IGNORED_SIGNALS",
    ...KEPT_FOR_PROCESS,
    does: "set by the launchers: signals that the caller ignores, as `HUP` under nohup, separated by spaces",
  },
  launchFolder: {
    name: "UWF_LAUNCH_FOLDER",
    ...FOR_PROCESS,
    does: "set by the launchers, which start the runtime in another folder: the caller's folder",
  },
  strictExits: {
    name: "UWF_STRICT_EXITS",
    ...FOR_PROCESS,
    does: "`1` in tests: a failure that the command's definition does not declare is a bug",
  },
} as const satisfies Readonly<Record<string, EnvironmentVariable>>;

type Names = { readonly [Key in keyof typeof VARIABLES]: (typeof VARIABLES)[Key]["name"] };

/** The names by which variables are read and set: `env[ENV.head]`. */
export const ENV = Object.fromEntries(
  Object.entries(VARIABLES).map(([key, { name }]) => [key, name]),
) as Names;
