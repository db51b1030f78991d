import { isObject, type JsonObject, type JsonValue, suggest } from "@uncaged/json-cas";
import {
  err,
  type Fault,
  fault,
  LIMITS,
  type Problem,
  type Result,
  type SpendingLimits,
} from "@uncaged/workflow-protocol";
import {
  checked,
  defaulted,
  exampleOf,
  FILLED_TEXT,
  FLAG,
  type Kind,
  mapOf,
  type Named,
  nullable,
  optional,
  readFields,
  record,
  required,
  TEXTS,
  texts,
  type Values,
} from "../fields.js";
import {
  addError,
  addWarning,
  asFilledText,
  asMap,
  below,
  describe,
  type Findings,
  quote,
  refuseValue,
} from "../shape.js";

export function invalidConfig(file: string, problems: readonly Problem[]): Result<never, Fault> {
  const errors = problems.filter((problem) => problem.severity === "error");
  return err(fault("INVALID_CONFIG", { file, problems: errors }));
}

// What stands below one name of config.yaml. A value that is refused is replaced by an empty one: the whole
// configuration is refused anyway, and the other problems should be found, too. Unknown keys are warned about: another
// version of uwf may know them.

const VARIABLE: JsonObject = { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" };

const COUNT = checked<number>(0, { type: "integer", minimum: 0 }, "a whole number, 0 or more");

const SECONDS = checked<number>(0, { type: "number", exclusiveMinimum: 0 }, "a number of seconds above 0");

const AMOUNT = checked<number>(0, { type: "number", minimum: 0 }, "a number, 0 or more");

const COMMAND: Kind<string> = { ...FILLED_TEXT, read: asCommand };

// The value is not shown: people paste the key itself here.
const KEY_NAME = checked<string>(
  "",
  VARIABLE,
  () => "apiKeyEnv must be the name of an environment variable; the key itself belongs in .env",
);

const VARIABLES = texts(
  checked<string>("", VARIABLE, (name) => `${describe(name)} is not the name of an environment variable`),
);

// A relative path would be resolved by each thread from a folder of its own.
const PATHS = texts(
  checked<string>(
    "",
    { type: "string", pattern: "^(~|~?/[^\\x00]*)$" },
    (path) => `${describe(path)} is neither an absolute path nor one from ~/`,
  ),
);

const PROVIDER = {
  baseUrl: required(
    { standIn: "", read: asHttpUrl, schema: { type: "string", pattern: "^[hH][tT][tT][pP][sS]?://" } },
    "Its OpenAI-compatible endpoint, an http or https URL.",
    "https://openrouter.ai/api/v1",
  ),
  apiKeyEnv: optional(
    KEY_NAME,
    "The environment variable that holds the key. The key itself belongs in .env, never here.",
    "OPENROUTER_API_KEY",
  ),
};

const MODEL = {
  provider: required(FILLED_TEXT, "A name below providers.", "openrouter"),
  name: required(FILLED_TEXT, "The model's name at the provider.", "anthropic/claude-sonnet-4"),
};

const BWRAP = checked<"bwrap">(
  "bwrap",
  { const: "bwrap" },
  (kind) => `the only kind of sandbox is bwrap, found ${describe(kind)}`,
);

const SANDBOX = {
  kind: required(BWRAP, "bubblewrap, the only kind.", "bwrap"),
  network: defaulted(
    { ...FLAG, standIn: true },
    "false: no network at all, not even this machine's own servers. Default: true.",
    false,
  ),
  writable: defaulted(
    PATHS,
    "What the agent may write besides the thread's folder: absolute paths, or from ~/.",
    ["~/.cache/pip"],
  ),
};

const WALLS = record("sandbox", SANDBOX, "warning");

/** `sandbox: bwrap` is short for one with a network and nothing further to write. */
const CONFINED: Kind<SandboxConfig> = {
  schema: { anyOf: [BWRAP.schema, WALLS.schema] },
  standIn: WALLS.standIn,
  read: (findings, path, value) => {
    if (typeof value !== "string") return WALLS.read(findings, path, value);
    BWRAP.read(findings, path, value);
    return WALLS.standIn;
  },
};

const AGENT = {
  command: required(COMMAND, "One program, never split: its options belong in args.", "uwf-claude"),
  args: defaulted(TEXTS, "Its arguments, before <thread> <role>.", ["--model", "opus"]),
  timeoutSeconds: optional(SECONDS, "Limit of one run by the clock. Default: none.", 3600),
  idleSeconds: optional(SECONDS, "Limit without output or heartbeat. Default: none.", 600),
  retries: optional(COUNT, "Retry a failing agent this many times within a step. Default: 0.", 2),
  resume: optional(
    FLAG,
    "false: a new session at each visit of a role. Default: continue the last one.",
    false,
  ),
  env: optional(VARIABLES, "Variables that it inherits besides PATH, HOME and uwf's own. Default: all.", [
    "OPENROUTER_API_KEY",
  ]),
  sandbox: optional(
    CONFINED,
    "Confine it with bubblewrap; bwrap is short for { kind: bwrap }. Default: no sandbox.",
    "bwrap",
  ),
};

const EVENTS = ["answer", "limit", "ended", "failed"] as const;

/** What `notify` may be called for. */
export type NotifyEvent = (typeof EVENTS)[number];

const NOTIFIED = texts(
  checked<NotifyEvent>(
    "ended",
    { enum: EVENTS },
    (name) => `${quote(String(name))} is not an event; the events are ${EVENTS.join(", ")}`,
  ),
);

const NOTIFY = {
  command: required(COMMAND, "One program, never split. It gets the event as JSON on stdin.", "my-chat"),
  args: defaulted(TEXTS, "Its arguments.", ["post"]),
  on: required(
    NOTIFIED,
    "For which events: a person is asked (answer), a limit is reached, a thread has ended, a thread has failed.",
    ["answer", "ended", "failed"],
  ),
};

const LIMITS_OF_THREADS = {
  maxSteps: optional(COUNT, "Recorded steps of a thread, with all threads that it has started.", 40),
  maxCostUsd: optional(AMOUNT, "What its agents may cost, as far as they report it.", 10),
  maxMinutes: optional(AMOUNT, "Minutes of its agents at work; waiting does not count.", 90),
} satisfies Record<keyof SpendingLimits, unknown>;

export const CONFIG = {
  providers: defaulted(mapOf(record("provider", PROVIDER, "warning")), "Where models are, by name.", {
    openrouter: exampleOf(PROVIDER),
  }),
  models: defaulted(mapOf(record("model", MODEL, "warning")), "Models, by alias.", {
    sonnet: exampleOf(MODEL),
  }),
  agents: defaulted(
    mapOf(record("agent", AGENT, "warning")),
    "Agents, by alias: the commands that play roles.",
    { claude: exampleOf(AGENT) },
  ),
  defaultAgent: optional(
    FILLED_TEXT,
    "The alias below agents that plays every role without another setting.",
    "claude",
  ),
  agentOverrides: defaulted(
    mapOf(nullable(mapOf(FILLED_TEXT))),
    "Which agent plays which role: workflow name to role to alias.",
    { "solve-issue": { reviewer: "claude" } },
  ),
  defaultModel: optional(
    FILLED_TEXT,
    "The alias below models that reads the output from replies without a valid header.",
    "sonnet",
  ),
  modelOverrides: defaulted(
    mapOf(FILLED_TEXT),
    "Another model for a purpose (extract), a role or a workflow.",
    { extract: "sonnet" },
  ),
  notify: optional(
    record("notification", NOTIFY, "warning"),
    "A command that uwf calls when one of the events in `on` happens.",
    exampleOf(NOTIFY),
  ),
  maxDepth: optional(
    COUNT,
    `How deep threads may start others, one inside the other. Default: ${LIMITS.threadDepth}.`,
    2,
  ),
  limits: defaulted(
    mapOf(nullable(record("limits", LIMITS_OF_THREADS))),
    "What a thread may spend, by workflow name; default applies to all others.",
    { default: { maxSteps: 40, maxCostUsd: 10 } },
  ),
};

// After the gate every field is there; absence is `null`.

export type ProviderConfig = Values<typeof PROVIDER>;

export type ModelConfig = Values<typeof MODEL>;

/** The walls around an agent. */
export type SandboxConfig = Values<typeof SANDBOX>;

export type AgentConfig = Values<typeof AGENT>;

export type WorkflowConfig = Values<typeof CONFIG>;

function asCommand(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  const command = asFilledText(findings, path, value);
  if (command !== null && /\s-/.test(command))
    addWarning(findings, path, "command is one program and never split; its options belong in args");
  return command;
}

function asHttpUrl(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  const text = asFilledText(findings, path, value);
  if (text === null) return null;
  const url = URL.canParse(text) && /^https?:\/\//i.test(text) ? new URL(text) : null;
  if (url === null)
    return refuseValue(findings, path, `baseUrl must be an http or https URL, found ${describe(text)}`);
  if (url.username === "" && url.password === "" && url.search === "") return text;
  // The value is not shown: messages and logs have an address that could not be reached.
  return refuseValue(
    findings,
    path,
    "baseUrl must have no name, password or query: a key belongs in .env, in the variable that apiKeyEnv names",
  );
}

/** The gate from unknown to WorkflowConfig. Every section may be missing or empty. */
export function readConfig(findings: Findings, value: JsonValue): WorkflowConfig {
  const config = readFields(findings, "", value ?? {}, CONFIG, misspellsMoney(value) ? "error" : "warning");
  checkReferences(findings, config);
  return config;
}

/** Without its overrides a role would be played, and paid, by the default agent; without its limits nothing ends a thread. */
function misspellsMoney(value: JsonValue): boolean {
  const keys = isObject(value) ? Object.keys(value) : [];
  const known = Object.keys(CONFIG);
  return keys.some(
    (key) => !known.includes(key) && /^(?:agentOverrides|limits)$/.test(suggest(key, known) ?? ""),
  );
}

/** The settings that a project's own config may have. */
const PROJECT = {
  agentOverrides: CONFIG.agentOverrides,
  limits: CONFIG.limits,
  maxDepth: CONFIG.maxDepth,
};

export type ProjectSettings = Values<typeof PROJECT>;

/** The same gate for a project's settings: somebody else's, so that the rest of CONFIG is refused, and for what reason. */
export function readProjectConfig(findings: Findings, value: JsonValue): ProjectSettings {
  const map: JsonObject = (value === null ? null : asMap(findings, "", value)) ?? {};
  const mine = Object.keys(map).filter((key) => Object.hasOwn(CONFIG, key) && !Object.hasOwn(PROJECT, key));
  for (const key of mine)
    addError(
      findings,
      below("", key),
      `${key} may stand only in your own config.yaml: a project says which alias plays which role, limits and maxDepth, never commands, models or addresses`,
    );
  const others = Object.fromEntries(Object.entries(map).filter(([key]) => !mine.includes(key)));
  return readFields(findings, "", others, PROJECT);
}

function checkReferences(findings: Findings, config: WorkflowConfig): void {
  const { agents, models, providers } = config;
  for (const [alias, model] of Object.entries(models))
    checkName(findings, `${below("/models", alias)}/provider`, "provider", model.provider, providers);
  checkName(findings, "/defaultAgent", "agent", config.defaultAgent, agents);
  checkName(findings, "/defaultModel", "model", config.defaultModel, models);
  for (const [purpose, alias] of Object.entries(config.modelOverrides))
    checkName(findings, below("/modelOverrides", purpose), "model", alias, models);
  for (const [workflow, roles] of Object.entries(config.agentOverrides)) {
    for (const [role, alias] of Object.entries(roles))
      checkName(findings, below(below("/agentOverrides", workflow), role), "agent", alias, agents);
  }
}

/** Empty represents a value that has already been refused. */
function checkName(
  findings: Findings,
  path: string,
  kind: string,
  name: string | null,
  known: Named<unknown>,
): void {
  if (name === null || name === "" || Object.hasOwn(known, name)) return;
  const message = `there is no ${kind} ${quote(name)} in ${kind}s`;
  refuseValue(findings, path, message, suggest(name, Object.keys(known)));
}
