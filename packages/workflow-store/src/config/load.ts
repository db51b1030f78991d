import { statSync } from "node:fs";
import { join } from "node:path";
import { type Fault, LIMITS, ok, type Result, type WorkflowConfig } from "@uncaged/workflow-protocol";
import type { Secret } from "@uncaged/workflow-util";
import { parseYamlDocument } from "../documents/index.js";
import { createFindings, hasErrors } from "../shape.js";
import { readOptionalText } from "../text-file.js";
import { invalidConfig, readConfig } from "./shape.js";
import type { AtRoot, DotEnv, LoadedConfig, ProviderPreset } from "./types.js";

type Variables = Readonly<Record<string, string>>;

const IGNORED = /^\s*(?:#.*)?$/;
const PLAIN = /^(?:export )?([A-Za-z_]\w*)=([\w./:@+-]*)$/;

/** The variables of a `.env` text, as dotenv reads them. Plain lines need no library: dotenv costs half a step. */
export async function parseEnv(text: string): Promise<Variables> {
  const plain = parsePlain(text);
  if (plain !== null) return plain;
  const { parse } = await import("dotenv");
  return parse(text);
}

/** `null` when a line is neither empty, nor a comment, nor `NAME=plain`. */
export function parsePlain(text: string): Variables | null {
  const variables: Record<string, string> = {};
  for (const line of text.split(/\r\n|\n/)) {
    if (IGNORED.test(line)) continue;
    const [, name, value] = PLAIN.exec(line) ?? [];
    if (name === undefined || value === undefined || name === "__proto__") return null;
    variables[name] = value;
  }
  return variables;
}

export function configFile({ root }: AtRoot): string {
  return join(root, "config.yaml");
}

export function envFile({ root }: AtRoot): string {
  return join(root, ".env");
}

const OTHERS = 0o077;

/**
 * `.env` of the storage root; no variables if there is no such file. Faults as for `loadConfig`, without
 * INVALID_CONFIG.
 */
export async function loadDotEnv(storage: AtRoot): Promise<Result<DotEnv, Fault>> {
  const file = envFile(storage);
  const text = readOptionalText(file, LIMITS.config);
  if (!text.ok) return text;
  if (text.value === null) return ok({ file, variables: {}, warning: null });
  return ok({ file, variables: await parseEnv(text.value), warning: modeWarning(file) });
}

function modeWarning(file: string): string | null {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) === 0) return null;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  return `${file} holds keys and has mode ${octal}: other users can reach it; run chmod 600 ${file}`;
}

/** config.yaml of the storage root. Faults: INVALID_CONFIG with every error, TOO_LARGE, INVALID_INPUT (not UTF-8), IO_FAILED. */
export async function loadConfig(storage: AtRoot): Promise<Result<LoadedConfig, Fault>> {
  const file = configFile(storage);
  const text = readOptionalText(file, LIMITS.config);
  if (!text.ok) return text;
  if (text.value === null) return ok({ file, config: null, warnings: [] });
  return parseConfig(text.value, file);
}

export async function parseConfig(
  text: string,
  file: string,
): Promise<Result<LoadedConfig & { readonly config: WorkflowConfig }, Fault>> {
  const yaml = await parseYamlDocument(text, file, LIMITS.config);
  if (!yaml.ok) return invalidConfig(file, yaml.error);
  const findings = createFindings(yaml.value.locate);
  const config = readConfig(findings, yaml.value.value);
  const problems = findings.all();
  return hasErrors(problems) ? invalidConfig(file, problems) : ok({ file, config, warnings: problems });
}

/** What the wizard offers; every base URL speaks the OpenAI chat completion protocol. `custom` comes last. */
export const PROVIDER_PRESETS: readonly ProviderPreset[] = [
  preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1"),
  preset("openai", "OpenAI", "https://api.openai.com/v1"),
  preset("anthropic", "Anthropic (OpenAI-compatible)", "https://api.anthropic.com/v1"),
  preset(
    "gemini",
    "Google Gemini (OpenAI-compatible)",
    "https://generativelanguage.googleapis.com/v1beta/openai",
  ),
  preset("deepseek", "DeepSeek", "https://api.deepseek.com/v1"),
  preset("dashscope", "Alibaba DashScope", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
  preset("moonshot", "Moonshot AI", "https://api.moonshot.ai/v1"),
  preset("mistral", "Mistral AI", "https://api.mistral.ai/v1"),
  preset("groq", "Groq", "https://api.groq.com/openai/v1"),
  preset("xai", "xAI", "https://api.x.ai/v1"),
  local("ollama", "Ollama on this machine", "http://localhost:11434/v1"),
  local("vllm", "vLLM on this machine", "http://localhost:8000/v1"),
  { name: "custom", label: "Another OpenAI-compatible endpoint", baseUrl: null, needsKey: true },
];

function preset(name: string, label: string, baseUrl: string): ProviderPreset {
  return { name, label, baseUrl, needsKey: true };
}

function local(name: string, label: string, baseUrl: string): ProviderPreset {
  return { name, label, baseUrl, needsKey: false };
}

type Env = Readonly<Record<string, string | undefined>>;

/** A shorter value is found by chance in texts that have nothing to do with it. */
const SHORTEST_KEY = 8;

/** Names under which everything is a key, whatever it looks like. */
const KEY_NAME = /KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH/i;

/** What texts may name: an address without user, password or query; an absolute path; a word such as `production`. */
const SETTING = /^(?:https?:\/\/[^\s@?#]+|(?:~|\.{1,2})?\/\S*|[A-Za-z]{1,15})$/;

/** The names of the variables that hold the providers' keys. */
export function keyNames(config: WorkflowConfig | null): readonly string[] {
  const names = new Set<string>();
  for (const { apiKeyEnv } of Object.values(config?.providers ?? {}))
    if (apiKeyEnv !== null) names.add(apiKeyEnv);
  return [...names];
}

/**
 * What must not be shown: the values of the storage root's `.env`, and of the variables in `names`, wherever they
 * are set. Values of fewer than 8 characters do not count, nor do addresses, paths and single words in `.env`
 * unless their names say that they are keys.
 */
export function secretsIn(variables: Env, env: Env, names: readonly string[]): readonly Secret[] {
  const secrets: Secret[] = [];
  const add = (name: string, value = ""): void => {
    if (value.trim().length >= SHORTEST_KEY) secrets.push({ name, value });
  };
  for (const name of names) {
    add(name, env[name]);
    add(name, variables[name]);
  }
  for (const [name, value = ""] of Object.entries(variables)) {
    if (!SETTING.test(value) || KEY_NAME.test(name)) add(name, value);
  }
  return secrets;
}

/** `secretsIn` for a process that needs `.env` for nothing else. Faults as for `loadDotEnv`. */
export async function loadSecrets(
  storage: AtRoot,
  env: Env,
  names: readonly string[],
): Promise<Result<readonly Secret[], Fault>> {
  const dotEnv = await loadDotEnv(storage);
  return dotEnv.ok ? ok(secretsIn(dotEnv.value.variables, env, names)) : dotEnv;
}
