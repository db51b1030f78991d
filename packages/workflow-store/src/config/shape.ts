import { type JsonObject, type JsonValue, suggest } from "@uncaged/json-cas";
import type { WorkflowConfig } from "@uncaged/workflow-protocol";
import { asFilledText, asMap, below, checkKeys, entry, type Findings, quote } from "../shape/index.js";
import { readAgent, readModel, readProvider } from "./sections.js";

const KEYS = [
  "providers",
  "models",
  "agents",
  "defaultAgent",
  "agentOverrides",
  "defaultModel",
  "modelOverrides",
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
  };
  checkReferences(findings, config);
  return config;
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

/** Without a prototype: an alias that is called `constructor` is found only where it was written. */
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

/** Empty stands for a value that has been refused already. */
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
  });
}
