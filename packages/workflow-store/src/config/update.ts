import { realpathSync } from "node:fs";
import { isObject, type JsonValue } from "@uncaged/json-cas";
import { makeDir as ensureFolder, writeFileAtomic } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { parseYamlDocument } from "../documents/index.js";
import { readOptionalText } from "../files.js";
import { withIndexLock } from "../locks.js";
import type { Storage } from "../storage.js";
import { type AtRoot, configFile, envFile } from "./load.js";
import { type AgentConfig, invalidConfig, type ModelConfig, type ProviderConfig } from "./shape.js";

/** What `uwf setup` wants in config.yaml; `null` leaves that part as it is. */
export type ConfigChanges = {
  readonly provider: {
    readonly name: string;
    readonly baseUrl: string;
    /** `null`: the provider needs no key. */
    readonly apiKeyEnv: string | null;
  } | null;
  readonly model: { readonly alias: string; readonly provider: string; readonly name: string } | null;
  readonly agent: {
    readonly alias: string;
    readonly command: string;
    /** `null` keeps the arguments that the agent has, none if it is new. */
    readonly args: readonly string[] | null;
  } | null;
  /** Further agents, for aliases that are not there yet. */
  readonly aliases: readonly {
    readonly alias: string;
    readonly command: string;
    readonly args: readonly string[];
  }[];
  readonly defaultModel: string | null;
  readonly defaultAgent: string | null;
};

type ConfigTexts = {
  /** `null` leaves the file alone. */
  readonly config: string | null;
  readonly env: string | null;
};

type ConfigPaths = { readonly config: string; readonly env: string };

/** Where a value stands in config.yaml. */
type ConfigPath =
  | readonly ["providers", alias: string, keyof ProviderConfig]
  | readonly ["models", alias: string, keyof ModelConfig]
  | readonly ["agents", alias: string, keyof AgentConfig]
  | readonly ["defaultAgent" | "defaultModel"];

/** One value of config.yaml to set. */
export type Edit = {
  readonly path: ConfigPath;
  /** `undefined` takes the key away. */
  readonly value: string | number | readonly string[] | undefined;
  readonly onlyIfAbsent: boolean;
};

/** For an agent that `setup` adds: one that hangs would hold its thread, and perhaps cost money, until a person notices. */
const IDLE_SECONDS = 900;

/** Changes as single values, in the order in which a new file shows them. */
function editsOf(
  { provider, model, agent, aliases, defaultModel, defaultAgent }: ConfigChanges,
  isLimited: IsLimited,
): readonly Edit[] {
  return [
    ...(provider === null
      ? []
      : [
          set(["providers", provider.name, "baseUrl"], provider.baseUrl),
          set(["providers", provider.name, "apiKeyEnv"], provider.apiKeyEnv ?? undefined),
        ]),
    ...(model === null
      ? []
      : [
          set(["models", model.alias, "provider"], model.provider),
          set(["models", model.alias, "name"], model.name),
        ]),
    ...(agent === null
      ? []
      : [
          set(["agents", agent.alias, "command"], agent.command),
          { ...set(["agents", agent.alias, "args"], agent.args ?? []), onlyIfAbsent: agent.args === null },
          ...idleLimit(agent.alias, isLimited),
        ]),
    ...aliases.flatMap(({ alias, command, args }) => [
      { ...set(["agents", alias, "command"], command), onlyIfAbsent: true },
      { ...set(["agents", alias, "args"], args), onlyIfAbsent: true },
      ...idleLimit(alias, isLimited),
    ]),
    ...(defaultAgent === null ? [] : [set(["defaultAgent"], defaultAgent)]),
    ...(defaultModel === null ? [] : [set(["defaultModel"], defaultModel)]),
  ];
}

/** Whether an agent has a limit already. */
type IsLimited = (alias: string) => boolean;

const LIMITS_OF_RUNS: readonly (keyof AgentConfig)[] = ["idleSeconds", "timeoutSeconds"];

function limitedIn(config: JsonValue): IsLimited {
  const agents = isObject(config) && isObject(config.agents) ? config.agents : {};
  return (alias) => {
    const agent = Object.hasOwn(agents, alias) ? agents[alias] : undefined;
    return isObject(agent) && LIMITS_OF_RUNS.some((name) => Object.hasOwn(agent, name));
  };
}

function idleLimit(alias: string, isLimited: IsLimited): readonly Edit[] {
  return isLimited(alias) ? [] : [set(["agents", alias, "idleSeconds"], IDLE_SECONDS)];
}

function set(path: ConfigPath, value: Edit["value"]): Edit {
  return { path, value, onlyIfAbsent: false };
}

/**
 * The text of config.yaml with the changes applied: comments, unknown keys and everything else stay. A text that
 * cannot be parsed, or a section that is not a map, is INVALID_CONFIG: nothing is discarded.
 */
export async function mergeConfig(
  text: string | null,
  changes: ConfigChanges,
  file: string,
): Promise<Result<string, Fault>> {
  const old = withoutByteOrderMark(text ?? "");
  const readable = await parseYamlDocument(old, file, LIMITS.config);
  if (!readable.ok) return invalidConfig(file, readable.error);
  // Lazily, as everything that needs yaml.
  const { editDocument } = await import("./edit.js");
  const merged = editDocument(old, editsOf(changes, limitedIn(readable.value.value)));
  if (merged.kind === "blocked") return notAMap(file, merged.at);
  return ok(old.includes("\r\n") ? merged.text.replaceAll("\n", "\r\n") : merged.text);
}

function notAMap(file: string, what: string): Result<never, Fault> {
  const message = `${what} must be a map`;
  const problem = {
    severity: "error",
    code: "invalid",
    line: null,
    column: null,
    path: "",
    message,
    suggestion: null,
    also: [],
  } as const;
  return invalidConfig(file, [problem]);
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

type Variables = Readonly<Record<string, string>>;

/**
 * The text of `.env` with these variables in it; every other line stays. Each value is written so that
 * exactly it is read back. INVALID_INPUT when no way of writing does that; the value is not shown.
 */
export async function mergeEnvFile(
  text: string | null,
  variables: Variables,
): Promise<Result<string, Fault>> {
  // Lazily, as everything that needs yaml.
  const { setVariable } = await import("./edit.js");
  let merged = withoutByteOrderMark(text ?? "");
  for (const [name, value] of Object.entries(variables)) {
    const next = setVariable(merged, name, value);
    if (next === null) return cannotWrite(name);
    merged = next;
  }
  return ok(merged);
}

function cannotWrite(name: string): Result<never, Fault> {
  const reason = `the value of ${name} cannot be written so that it reads back unchanged`;
  return err(fault("INVALID_INPUT", { what: ".env", reason }));
}

const PRIVATE = 0o600;

/**
 * Writes what is not `null`, each file atomically. `.env` first: config.yaml names the variable, and one that is
 * set but not yet named does no harm. Faults: IO_FAILED. For a read-modify-write use `updateConfigFiles`.
 */
export function writeConfigFiles(storage: AtRoot, { config, env }: ConfigTexts): Result<ConfigPaths, Fault> {
  const paths = { config: configFile(storage), env: envFile(storage) };
  return attempt(() => {
    ensureFolder(storage.root);
    if (env !== null) writeFileAtomic(targetOf(paths.env), env, { mode: PRIVATE });
    if (config !== null) writeFileAtomic(targetOf(paths.config), config, { mode: null });
    return paths;
  });
}

/** A linked file (people keep their dotfiles elsewhere) is replaced at its target; the link stays. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * `uwf setup`'s write: puts the changes into config.yaml and the keys into `.env`, under the index lock, so that two
 * setups at once lose nothing. Both texts are made before either file is touched; without keys `.env` is left alone.
 */
export function updateConfigFiles(
  storage: Storage,
  changes: ConfigChanges,
  keys: Readonly<Record<string, string>>,
): Promise<Result<ConfigPaths, Fault>> {
  return withIndexLock(storage, async () => {
    const config = readOptionalText(configFile(storage), LIMITS.config);
    if (!config.ok) return config;
    const env = readOptionalText(envFile(storage), LIMITS.config);
    if (!env.ok) return env;
    const mergedConfig = await mergeConfig(config.value, changes, configFile(storage));
    if (!mergedConfig.ok) return mergedConfig;
    const mergedEnv = await mergeEnvFile(env.value, keys);
    if (!mergedEnv.ok) return mergedEnv;
    const untouched = Object.keys(keys).length === 0;
    return writeConfigFiles(storage, { config: mergedConfig.value, env: untouched ? null : mergedEnv.value });
  });
}
