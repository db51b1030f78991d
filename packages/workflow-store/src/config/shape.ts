import { isObject, type JsonObject, type JsonValue, suggest } from "@uncaged/json-cas";
import {
  err,
  type Fault,
  fault,
  LIMITS,
  NO_LIMITS,
  type Problem,
  type Result,
  type SpendingLimits,
} from "@uncaged/workflow-protocol";
import {
  exampleOf,
  FILLED_TEXT,
  type Fields,
  filled,
  type Kind,
  namedSchema,
  optional,
  orNull,
  readFields,
  readNamed,
  required,
  schemaOf,
  TEXTS,
  type Values,
} from "../fields.js";
import {
  addError,
  addWarning,
  asBoolean,
  asFilledText,
  asMap,
  asNumber,
  asTextList,
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

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const FLAG: Kind<boolean> = { read: asBoolean, schema: { type: "boolean" } };

const COUNT: Kind<number> = { read: asCount, schema: { type: "integer", minimum: 0 } };

const SECONDS: Kind<number> = { read: asSeconds, schema: { type: "number", exclusiveMinimum: 0 } };

const AMOUNT: Kind<number> = { read: asAmount, schema: { type: "number", minimum: 0 } };

const VARIABLE_NAME: JsonObject = { type: "string", pattern: VARIABLE.source };

const COMMAND: Kind<string> = { read: asCommand, schema: FILLED_TEXT.schema };

const PROVIDER = {
  baseUrl: filled(
    "",
    required(
      { read: asHttpUrl, schema: { type: "string", pattern: "^[hH][tT][tT][pP][sS]?://" } },
      {
        description: "Its OpenAI-compatible endpoint, an http or https URL.",
        example: "https://openrouter.ai/api/v1",
      },
    ),
  ),
  apiKeyEnv: optional(
    { read: asVariable, schema: VARIABLE_NAME },
    {
      description: "The environment variable that holds the key. The key itself belongs in .env, never here.",
      example: "OPENROUTER_API_KEY",
    },
  ),
};

const MODEL = {
  provider: filled(
    "",
    required(FILLED_TEXT, { description: "A name below providers.", example: "openrouter" }),
  ),
  name: filled(
    "",
    required(FILLED_TEXT, {
      description: "The model's name at the provider.",
      example: "anthropic/claude-sonnet-4",
    }),
  ),
};

const SANDBOX = {
  kind: filled(
    "bwrap",
    required(
      { read: asKind, schema: { const: "bwrap" } },
      { description: "bubblewrap, the only kind.", example: "bwrap" },
    ),
  ),
  network: filled(
    true,
    optional(FLAG, {
      description: "false: no network at all, not even this machine's own servers. Default: true.",
      example: false,
    }),
  ),
  writable: filled(
    [],
    optional(
      { read: asPaths, schema: { type: "array", items: { type: "string", pattern: "^(~?/|~$)" } } },
      {
        description: "What the agent may write besides the thread's folder: absolute paths, or from ~/.",
        example: ["~/.cache/pip"],
      },
    ),
  ),
};

const AGENT = {
  command: filled(
    "",
    required(COMMAND, {
      description: "One program, never split: its options belong in args.",
      example: "uwf-claude",
    }),
  ),
  args: filled(
    [],
    optional(TEXTS, {
      description: "Its arguments, before <thread> <role>.",
      example: ["--model", "opus"],
    }),
  ),
  timeoutSeconds: optional(SECONDS, {
    description: "Limit of one run by the clock. Default: none.",
    example: 3600,
  }),
  idleSeconds: optional(SECONDS, {
    description: "Limit without output or heartbeat. Default: none.",
    example: 600,
  }),
  retries: optional(COUNT, {
    description: "Retry a failing agent this many times within a step. Default: 0.",
    example: 2,
  }),
  resume: optional(FLAG, {
    description: "false: a new session at each visit of a role. Default: continue the last one.",
    example: false,
  }),
  env: optional(
    { read: asVariables, schema: { type: "array", items: VARIABLE_NAME } },
    {
      description: "Variables that it inherits besides PATH, HOME and uwf's own. Default: all.",
      example: ["OPENROUTER_API_KEY"],
    },
  ),
  sandbox: optional(
    { read: asSandbox, schema: { anyOf: [{ const: "bwrap" }, schemaOf("sandbox", SANDBOX)] } },
    {
      description: "Confine it with bubblewrap; bwrap is short for { kind: bwrap }. Default: no sandbox.",
      example: "bwrap",
    },
  ),
};

const EVENTS = ["answer", "limit", "ended", "failed"] as const;

/** What `notify` may be called for. */
export type NotifyEvent = (typeof EVENTS)[number];

const NOTIFY = {
  command: filled(
    "",
    required(COMMAND, {
      description: "One program, never split. It gets the event as JSON on stdin.",
      example: "my-chat",
    }),
  ),
  args: filled([], optional(TEXTS, { description: "Its arguments.", example: ["post"] })),
  on: filled(
    [],
    required(
      { read: asEvents, schema: { type: "array", items: { enum: [...EVENTS] } } },
      {
        description:
          "For which events: a person is asked (answer), a limit is reached, a thread has ended, a thread has failed.",
        example: ["answer", "ended", "failed"],
      },
    ),
  ),
};

const LIMITS_OF_THREADS = {
  maxSteps: optional(COUNT, {
    description: "Recorded steps of a thread, with all threads that it has started.",
    example: 40,
  }),
  maxCostUsd: optional(AMOUNT, {
    description: "What its agents may cost, as far as they report it.",
    example: 10,
  }),
  maxMinutes: optional(AMOUNT, {
    description: "Minutes of its agents at work; waiting does not count.",
    example: 90,
  }),
} satisfies Record<keyof SpendingLimits, unknown>;

export const CONFIG = {
  providers: filled(
    named<never>({}),
    optional(section(entry(PROVIDER), schemaOf("provider", PROVIDER)), {
      description: "Where models are, by name.",
      example: { openrouter: exampleOf(PROVIDER) },
    }),
  ),
  models: filled(
    named<never>({}),
    optional(section(entry(MODEL), schemaOf("model", MODEL)), {
      description: "Models, by alias.",
      example: { sonnet: exampleOf(MODEL) },
    }),
  ),
  agents: filled(
    named<never>({}),
    optional(section(entry(AGENT), schemaOf("agent", AGENT)), {
      description: "Agents, by alias: the commands that play roles.",
      example: { claude: exampleOf(AGENT) },
    }),
  ),
  defaultAgent: optional(FILLED_TEXT, {
    description: "The alias below agents that plays every role without another setting.",
    example: "claude",
  }),
  agentOverrides: filled(
    named<never>({}),
    optional(section(readRoleOverrides, orNull(namedSchema(FILLED_TEXT.schema))), {
      description: "Which agent plays which role: workflow name to role to alias.",
      example: { "solve-issue": { reviewer: "claude" } },
    }),
  ),
  defaultModel: optional(FILLED_TEXT, {
    description: "The alias below models that reads the output from replies without a valid header.",
    example: "sonnet",
  }),
  modelOverrides: filled(
    named<never>({}),
    optional(section(readName, FILLED_TEXT.schema), {
      description: "Another model for a purpose (extract), a role or a workflow.",
      example: { extract: "sonnet" },
    }),
  ),
  notify: optional(
    { read: readNotify, schema: schemaOf("notification", NOTIFY) },
    {
      description: "A command that uwf calls when one of the events in `on` happens.",
      example: exampleOf(NOTIFY),
    },
  ),
  maxDepth: optional(COUNT, {
    description: `How deep threads may start others, one inside the other. Default: ${LIMITS.threadDepth}.`,
    example: 2,
  }),
  limits: filled(
    named<never>({}),
    optional(section(readLimits, orNull(schemaOf("limits", LIMITS_OF_THREADS))), {
      description: "What a thread may spend, by workflow name; default applies to all others.",
      example: { default: { maxSteps: 40, maxCostUsd: 10 } },
    }),
  ),
};

// After the gate every field is there; absence is `null`.

export type ProviderConfig = Values<typeof PROVIDER>;

export type ModelConfig = Values<typeof MODEL>;

/** The walls around an agent. */
export type SandboxConfig = Values<typeof SANDBOX>;

export type AgentConfig = Values<typeof AGENT>;

/** A command that gets an event as JSON on stdin: for a chat, a mail, a desktop. */
type NotifyConfig = Values<typeof NOTIFY>;

export type WorkflowConfig = Values<typeof CONFIG>;

function entry<F extends Fields>(fields: F): ReadEntry<Values<F>> {
  return (findings, path, value) => readFields(findings, path, value, fields, "warning");
}

function asCommand(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  const command = asFilledText(findings, path, value);
  if (command !== null && /\s-/.test(command))
    addWarning(findings, path, "command is one program and never split; its options belong in args");
  return command;
}

function asHttpUrl(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  const url = asFilledText(findings, path, value);
  if (url === null) return null;
  if (!isHttpUrl(url)) {
    refuseValue(findings, path, `baseUrl must be an http or https URL, found ${describe(url)}`);
    return null;
  }
  if (isBare(url)) return url;
  // The value is not shown: messages and logs have an address that could not be reached.
  refuseValue(
    findings,
    path,
    "baseUrl must have no name, password or query: a key belongs in .env, in the variable that apiKeyEnv names",
  );
  return null;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\//i.test(text);
}

/** Whether the address is nothing but a place. */
function isBare(url: string): boolean {
  const { username, password, search } = new URL(url);
  return username === "" && password === "" && search === "";
}

function asSeconds(findings: Findings, path: string, value: JsonValue | undefined): number | null {
  return asNumber(findings, path, value, "a number of seconds above 0", (seconds) => seconds > 0);
}

function asCount(findings: Findings, path: string, value: JsonValue | undefined): number | null {
  return asNumber(findings, path, value, "a whole number, 0 or more", (n) => Number.isInteger(n) && n >= 0);
}

// The value is not shown: people paste the key itself here.
function asVariable(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  if (typeof value === "string" && VARIABLE.test(value)) return value;
  refuseValue(
    findings,
    path,
    "apiKeyEnv must be the name of an environment variable; the key itself belongs in .env",
  );
  return null;
}

/** `sandbox: bwrap` is short for one with a network and nothing further to write. */
function asSandbox(findings: Findings, path: string, value: JsonValue | undefined): SandboxConfig | null {
  if (typeof value === "string") {
    asKind(findings, path, value);
    return { kind: "bwrap", network: true, writable: [] };
  }
  return readFields(findings, path, value, SANDBOX, "warning");
}

function asKind(findings: Findings, path: string, value: JsonValue | undefined): "bwrap" | null {
  if (value === "bwrap") return value;
  refuseValue(findings, path, `the only kind of sandbox is bwrap, found ${describe(value ?? null)}`);
  return null;
}

/** Refuses relative paths: each thread would resolve them from a folder of its own. */
function asPaths(findings: Findings, path: string, value: JsonValue | undefined): readonly string[] | null {
  const paths = asTextList(findings, path, value);
  for (const [index, text] of (paths ?? []).entries()) {
    if (!/^(~?\/|~$)/.test(text) || text.includes("\0"))
      refuseValue(
        findings,
        below(path, index),
        `${describe(text)} is neither an absolute path nor one from ~/`,
      );
  }
  return paths;
}

function asVariables(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
): readonly string[] | null {
  const names = asTextList(findings, path, value);
  for (const [index, name] of (names ?? []).entries()) {
    if (!VARIABLE.test(name))
      refuseValue(
        findings,
        below(path, index),
        `${describe(name)} is not the name of an environment variable`,
      );
  }
  return names;
}

function readNotify(findings: Findings, path: string, value: JsonValue | undefined): NotifyConfig {
  return readFields(findings, path, value, NOTIFY, "warning");
}

function asEvents(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
): readonly NotifyEvent[] | null {
  const names = asTextList(findings, path, value) ?? [];
  for (const [index, name] of names.entries()) {
    if (!EVENTS.some((event) => event === name))
      refuseValue(
        findings,
        below(path, index),
        `${quote(name)} is not an event; the events are ${EVENTS.join(", ")}`,
      );
  }
  return EVENTS.filter((event) => names.includes(event));
}

function readLimits(findings: Findings, path: string, value: JsonValue): SpendingLimits {
  return value === null ? NO_LIMITS : readFields(findings, path, value, LIMITS_OF_THREADS);
}

function asAmount(findings: Findings, path: string, value: JsonValue | undefined): number | null {
  return asNumber(findings, path, value, "a number, 0 or more", (n) => Number.isFinite(n) && n >= 0);
}

type Named<T> = Readonly<Record<string, T>>;

type ReadEntry<T> = (findings: Findings, path: string, value: JsonValue) => T;

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

function section<T>(read: ReadEntry<T>, item: JsonObject): Kind<Named<T>> {
  return {
    read: (findings, path, value) => entriesOf(findings, path, value, read),
    schema: namedSchema(item),
  };
}

function entriesOf<T>(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
  read: ReadEntry<T>,
): Named<T> {
  return named(readNamed(findings, path, value, read) ?? {});
}

/** Without a prototype: an alias called `constructor` is found only if it was written. */
function named<T>(entries: Named<T>): Named<T> {
  return Object.setPrototypeOf({ ...entries }, null) as Named<T>;
}

function readName(findings: Findings, path: string, value: JsonValue): string {
  return asFilledText(findings, path, value) ?? "";
}

function readRoleOverrides(findings: Findings, path: string, value: JsonValue): Named<string> {
  return value === null ? named({}) : entriesOf(findings, path, value, readName);
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
