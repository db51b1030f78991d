import { statSync } from "node:fs";
import { join } from "node:path";
import { type Fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { parseYamlDocument } from "../documents/index.js";
import { below, createFindings, hasErrors } from "../shape.js";
import { readOptionalText } from "../text-file.js";
import { parseEnv } from "./env-text.js";
import { invalidConfig, readConfig, type WorkflowConfig } from "./shape.js";
import type { AtRoot, DotEnv, LoadedConfig, ProviderPreset } from "./types.js";

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
  return ok({ file, variables: parseEnv(text.value), warning: modeWarning(file) });
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
  if (text.value === null)
    return ok({ file, config: null, warnings: [], at: () => ({ line: 1, column: 1 }) });
  return parseConfig(text.value, file);
}

export async function parseConfig(
  text: string,
  file: string,
): Promise<Result<LoadedConfig & { readonly config: WorkflowConfig }, Fault>> {
  const yaml = await parseYamlDocument(text, file, LIMITS.config);
  if (!yaml.ok) return invalidConfig(file, yaml.error);
  const { locate, value } = yaml.value;
  const findings = createFindings(locate);
  const config = readConfig(findings, value);
  const problems = findings.all();
  if (hasErrors(problems)) return invalidConfig(file, problems);
  return ok({ file, config, warnings: problems, at: (...keys) => locate(keys.reduce<string>(below, "")) });
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
