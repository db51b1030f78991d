import { type JsonObject, type JsonValue, suggest } from "@uncaged/json-cas";
import {
  type AgentConfig,
  err,
  type Fault,
  fault,
  type ModelConfig,
  NO_LIMITS,
  type NotifyConfig,
  type NotifyEvent,
  type Problem,
  type ProviderConfig,
  type Result,
  type SandboxConfig,
  type SpendingLimits,
  type WorkflowConfig,
} from "@uncaged/workflow-protocol";
import {
  addError,
  addWarning,
  asBoolean,
  asFilledText,
  asMap,
  asNumber,
  asTextList,
  below,
  checkKeys,
  describe,
  entry,
  type Findings,
  quote,
} from "../shape.js";

export function invalidConfig(file: string, problems: readonly Problem[]): Result<never, Fault> {
  const errors = problems.filter((problem) => problem.severity === "error");
  return err(fault("INVALID_CONFIG", { file, problems: errors }));
}

// What stands below one name of config.yaml. A value that is refused is replaced by an empty one: the whole
// configuration is refused anyway, and the other problems want to be found.

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

type Spot = { readonly findings: Findings; readonly path: string; readonly map: JsonObject };

function readProvider(findings: Findings, path: string, value: JsonValue): ProviderConfig {
  const spot = spotOf(findings, path, value, ["baseUrl"], ["apiKeyEnv"]);
  const baseUrl = required(spot, "baseUrl", asFilledText) ?? "";
  if (baseUrl !== "" && !isHttpUrl(baseUrl))
    addError(
      findings,
      below(path, "baseUrl"),
      `baseUrl must be an http or https URL, found ${describe(baseUrl)}`,
    );
  return { baseUrl, apiKeyEnv: optional(spot, "apiKeyEnv", asVariable) };
}

function readModel(findings: Findings, path: string, value: JsonValue): ModelConfig {
  const spot = spotOf(findings, path, value, ["provider", "name"], []);
  return {
    provider: required(spot, "provider", asFilledText) ?? "",
    name: required(spot, "name", asFilledText) ?? "",
  };
}

function readAgent(findings: Findings, path: string, value: JsonValue): AgentConfig {
  const optionals = ["args", "timeoutSeconds", "idleSeconds", "retries", "resume", "env", "sandbox"];
  const spot = spotOf(findings, path, value, ["command"], optionals);
  const command = required(spot, "command", asFilledText) ?? "";
  if (/\s-/.test(command))
    addWarning(
      findings,
      below(path, "command"),
      "command is one program and never split; its options belong in args",
    );
  return {
    command,
    args: optional(spot, "args", asTextList) ?? [],
    timeoutSeconds: optional(spot, "timeoutSeconds", asSeconds),
    idleSeconds: optional(spot, "idleSeconds", asSeconds),
    retries: optional(spot, "retries", asCount),
    resume: optional(spot, "resume", asBoolean),
    env: optional(spot, "env", asVariables),
    sandbox: optional(spot, "sandbox", asSandbox),
  };
}

type Check<T> = (findings: Findings, path: string, value: JsonValue | undefined) => T | null;

/** A missing key has been reported as such: it is not of the wrong type as well. */
function required<T>({ findings, path, map }: Spot, key: string, check: Check<T>): T | null {
  return Object.hasOwn(map, key) ? check(findings, below(path, key), entry(map, key)) : null;
}

/** `key:` without a value counts as absent. */
function optional<T>(spot: Spot, key: string, check: Check<T>): T | null {
  return entry(spot.map, key) === null ? null : required(spot, key, check);
}

function spotOf(
  findings: Findings,
  path: string,
  value: JsonValue,
  requiredKeys: readonly string[],
  optionalKeys: readonly string[],
): Spot {
  const map = asMap(findings, path, value);
  if (map !== null)
    checkKeys(findings, path, map, { required: requiredKeys, optional: optionalKeys, unknown: "warning" });
  return { findings, path, map: map ?? {} };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\//i.test(text);
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
  addError(
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
  const spot = spotOf(findings, path, value ?? null, ["kind"], ["network", "writable"]);
  required(spot, "kind", asKind);
  return {
    kind: "bwrap",
    network: optional(spot, "network", asBoolean) ?? true,
    writable: optional(spot, "writable", asPaths) ?? [],
  };
}

function asKind(findings: Findings, path: string, value: JsonValue | undefined): "bwrap" | null {
  if (value === "bwrap") return value;
  addError(findings, path, `the only kind of sandbox is bwrap, found ${describe(value ?? null)}`);
  return null;
}

/** Not relative ones: from which folder would depend on the thread. */
function asPaths(findings: Findings, path: string, value: JsonValue | undefined): readonly string[] | null {
  const paths = asTextList(findings, path, value);
  for (const [index, text] of (paths ?? []).entries()) {
    if (!/^(~?\/|~$)/.test(text) || text.includes("\0"))
      addError(findings, below(path, index), `${describe(text)} is neither an absolute path nor one from ~/`);
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
      addError(findings, below(path, index), `${describe(name)} is not the name of an environment variable`);
  }
  return names;
}

const EVENTS: readonly NotifyEvent[] = ["answer", "limit", "ended", "failed"];

function readNotify(findings: Findings, path: string, value: JsonValue): NotifyConfig | null {
  if (value === null) return null;
  const spot = spotOf(findings, path, value, ["command", "on"], ["args"]);
  return {
    command: required(spot, "command", asFilledText) ?? "",
    args: optional(spot, "args", asTextList) ?? [],
    on: required(spot, "on", asEvents) ?? [],
  };
}

function asEvents(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
): readonly NotifyEvent[] | null {
  const names = asTextList(findings, path, value) ?? [];
  for (const [index, name] of names.entries()) {
    if (!EVENTS.some((event) => event === name))
      addError(findings, below(path, index), `${quote(name)} is no event: there are ${EVENTS.join(", ")}`);
  }
  return EVENTS.filter((event) => names.includes(event));
}

function readLimits(findings: Findings, path: string, value: JsonValue): SpendingLimits {
  if (value === null) return NO_LIMITS;
  const spot = spotOf(findings, path, value, [], Object.keys(NO_LIMITS));
  return {
    maxSteps: optional(spot, "maxSteps", asCount),
    maxCostUsd: optional(spot, "maxCostUsd", asAmount),
    maxMinutes: optional(spot, "maxMinutes", asAmount),
  };
}

function asAmount(findings: Findings, path: string, value: JsonValue | undefined): number | null {
  return asNumber(findings, path, value, "a number, 0 or more", (n) => Number.isFinite(n) && n >= 0);
}

const KEYS = [
  "providers",
  "models",
  "agents",
  "defaultAgent",
  "agentOverrides",
  "defaultModel",
  "modelOverrides",
  "notify",
  "maxDepth",
  "limits",
];

type Named<T> = Readonly<Record<string, T>>;

type ReadEntry<T> = (findings: Findings, path: string, value: JsonValue) => T;

/** The gate from unknown to WorkflowConfig. Every section may be missing or empty. */
export function readConfig(findings: Findings, value: JsonValue): WorkflowConfig {
  const map = (value === null ? null : asMap(findings, "", value)) ?? {};
  checkKeys(findings, "", map, { required: [], optional: KEYS, unknown: "warning" });
  const config = {
    providers: section(findings, map, "providers", readProvider),
    models: section(findings, map, "models", readModel),
    agents: section(findings, map, "agents", readAgent),
    defaultAgent: nameAt(findings, map, "defaultAgent"),
    agentOverrides: section(findings, map, "agentOverrides", readRoleOverrides),
    defaultModel: nameAt(findings, map, "defaultModel"),
    modelOverrides: section(findings, map, "modelOverrides", readName),
    notify: readNotify(findings, below("", "notify"), entry(map, "notify") ?? null),
    ...readBounds(findings, map),
  };
  checkReferences(findings, config);
  return config;
}

function readBounds(findings: Findings, map: JsonObject): Pick<WorkflowConfig, "maxDepth" | "limits"> {
  return {
    maxDepth: optional({ findings, path: "", map }, "maxDepth", asCount),
    limits: section(findings, map, "limits", readLimits),
  };
}

/** What a project may say. */
const PROJECT_KEYS = ["agentOverrides", "limits", "maxDepth"];

/** The same gate for a project's settings: somebody else's, so that the rest of KEYS is refused, and for what reason. */
export function readProjectConfig(
  findings: Findings,
  value: JsonValue,
): Pick<WorkflowConfig, "agentOverrides" | "maxDepth" | "limits"> {
  const map = (value === null ? null : asMap(findings, "", value)) ?? {};
  const mine = Object.keys(map).filter((key) => KEYS.includes(key) && !PROJECT_KEYS.includes(key));
  for (const key of mine)
    addError(
      findings,
      below("", key),
      `${key} may stand only in your own config.yaml: a project says which alias plays which role, limits and maxDepth, never commands, models or addresses`,
    );
  const others = Object.fromEntries(Object.entries(map).filter(([key]) => !mine.includes(key)));
  checkKeys(findings, "", others, { required: [], optional: PROJECT_KEYS, unknown: "error" });
  const agentOverrides = section(findings, others, "agentOverrides", readRoleOverrides);
  return { agentOverrides, ...readBounds(findings, others) };
}

function section<T>(findings: Findings, map: JsonObject, key: string, read: ReadEntry<T>): Named<T> {
  const value = entry(map, key);
  if (value === undefined || value === null) return named([]);
  return entriesOf(findings, below("", key), value, read);
}

function entriesOf<T>(findings: Findings, path: string, value: JsonValue, read: ReadEntry<T>): Named<T> {
  const map = asMap(findings, path, value) ?? {};
  return named(Object.entries(map).map(([name, item]) => [name, read(findings, below(path, name), item)]));
}

/** Without a prototype: an alias called `constructor` is found only if it was written. */
function named<T>(entries: readonly (readonly [string, T])[]): Named<T> {
  return Object.setPrototypeOf(Object.fromEntries(entries), null) as Named<T>;
}

function nameAt(findings: Findings, map: JsonObject, key: string): string | null {
  const value = entry(map, key);
  return value === undefined || value === null ? null : asFilledText(findings, below("", key), value);
}

function readName(findings: Findings, path: string, value: JsonValue): string {
  return asFilledText(findings, path, value) ?? "";
}

function readRoleOverrides(findings: Findings, path: string, value: JsonValue): Named<string> {
  return value === null ? named([]) : entriesOf(findings, path, value, readName);
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
  findings.add({
    severity: "error",
    code: "invalid",
    path,
    offset: null,
    message,
    suggestion: suggest(name, Object.keys(known)),
    also: [],
  });
}
