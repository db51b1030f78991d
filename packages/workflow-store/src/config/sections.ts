import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import type { AgentConfig, ModelConfig, ProviderConfig, SandboxConfig } from "@uncaged/workflow-protocol";
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
} from "../shape/index.js";

// What stands below one name of config.yaml. A value that is refused is replaced by an empty one: the whole
// configuration is refused anyway, and the other problems want to be found.

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

type Spot = { readonly findings: Findings; readonly path: string; readonly map: JsonObject };

export function readProvider(findings: Findings, path: string, value: JsonValue): ProviderConfig {
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

export function readModel(findings: Findings, path: string, value: JsonValue): ModelConfig {
  const spot = spotOf(findings, path, value, ["provider", "name"], []);
  return {
    provider: required(spot, "provider", asFilledText) ?? "",
    name: required(spot, "name", asFilledText) ?? "",
  };
}

export function readAgent(findings: Findings, path: string, value: JsonValue): AgentConfig {
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

/** `key:` with nothing behind it counts as absent. */
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
      addError(findings, below(path, index), `${describe(text)} is no absolute path, and none from ~/`);
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
      addError(findings, below(path, index), `${describe(name)} is not a name of an environment variable`);
  }
  return names;
}
