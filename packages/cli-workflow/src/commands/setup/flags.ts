import { lackingCommand, lackingModel, splitWords } from "@uncaged/workflow-engine";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { WorkflowConfig } from "@uncaged/workflow-store";
import { resolveCommand } from "@uncaged/workflow-util";
import type { Host } from "../../io.js";
import { misused } from "../output.js";
import type { SetupAnswers, SetupRequest } from "./setup.js";

/** `OPENROUTER_API_KEY` of `openrouter`. */
export function keyVariable(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_API_KEY`;
}

/** The model's alias: the last part of its name, `claude-sonnet-4` of `anthropic/claude-sonnet-4`. */
export function modelAlias(model: string): string {
  return model.split("/").at(-1) ?? model;
}

/** The agent's alias: its program without folder and `uwf-`, `hermes` of `/usr/bin/uwf-hermes`. */
export function agentAlias(program: string): string {
  const file = program.split("/").at(-1) ?? program;
  return file.startsWith("uwf-") ? file.slice(4) : file;
}

/** A key as it may be shown: its ends when it is long, nothing of it otherwise. */
export function maskKey(key: string): string {
  return key.length < 16 ? "…" : `${key.slice(0, 3)}…${key.slice(-2)}`;
}

/**
 * Why this cannot be the name of a provider; `null` if it can. It becomes a key of config.yaml and part of a
 * variable.
 */
export function providerProblem(name: string): string | null {
  return /^[a-z][a-z0-9-]*$/.test(name)
    ? null
    : "the provider's name may contain only lower-case letters, digits and -";
}

/** Why this cannot be a base URL; `null` if it can. */
export function urlProblem(url: string): string | null {
  const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return isHttp ? null : "the base URL must be an http or https URL";
}

const MAX_KEY_BYTES = 4096;

/** What the storage root has already. */
type KnownBefore = {
  readonly config: WorkflowConfig | null;
  readonly dotEnv: Readonly<Record<string, string>>;
};

/**
 * The answers from the command line alone: nothing is asked, and everything that is missing is reported at once.
 * An agent alone is enough, since it may have its own login; a provider of `config` needs only what changes.
 */
export function answersFromFlags(
  host: Host,
  request: SetupRequest,
  { config, dotEnv }: KnownBefore,
): Result<SetupAnswers, Fault> {
  const agent = request.agent === null ? ok(null) : splitWords(request.agent);
  if (!agent.ok) return agent;
  const bare = lackingCommand(agent.value ?? []);
  if (bare !== null) return usage(`${bare} needs a command, and has none: --agent "${bare} -- <command>"`);
  const { agent: _, ...aboutModel } = request;
  const caller = lackingModel(agent.value ?? [], config);
  if (agent.value !== null && caller === null && Object.values(aboutModel).every((value) => value === null))
    return ok({ provider: null, model: null, agent: agent.value, aliases: [] });
  const { provider, model } = request;
  const configured = provider === null ? undefined : config?.providers[provider];
  const baseUrl = request.baseUrl ?? configured?.baseUrl ?? null;
  const variable = provider === null ? null : (configured?.apiKeyEnv ?? keyVariable(provider));
  const key = readKey(host, request.apiKey);
  if (!key.ok) return key;
  const known = variable !== null && Boolean(host.env[variable] ?? dotEnv[variable]);
  const preset = PROVIDER_PRESETS.some(({ name, needsKey }) => name === provider && !needsKey);
  const keyless = preset || configured?.apiKeyEnv === null;
  const lacksKey = key.value === null && !known && !keyless;
  const hasModel = Object.values(config?.models ?? {}).some((each) => each.provider === provider);
  const missing = [
    ...(provider === null ? ["--provider"] : []),
    ...(baseUrl === null ? ["--base-url"] : []),
    ...(model === null && (caller !== null || !hasModel) ? ["--model"] : []),
    ...(lacksKey ? [variable === null ? "--api-key" : `--api-key (or ${variable} in the environment)`] : []),
  ];
  if (provider === null || baseUrl === null || variable === null || missing.length > 0) {
    const why =
      caller === null
        ? "for an agent with its own login --agent alone is enough"
        : `${caller} calls a model itself, and config.yaml has none for it`;
    return usage(`setup needs ${missing.join(", ")}; ${why}`);
  }
  const problem =
    providerProblem(provider) ??
    urlProblem(baseUrl) ??
    (model?.trim() === "" ? "the model's name is empty" : null);
  if (problem !== null) return usage(problem);
  const apiKey = key.value === null && !known ? null : { variable, value: key.value };
  return ok({
    provider: { name: provider, baseUrl, apiKey },
    model: model === null ? null : { provider, name: model },
    agent: agent.value ?? (model === null ? null : agentOfModel(host, config)),
    aliases: [],
  });
}

/** A model that is named without an agent is meant to play the roles; a default agent that is there already stays. */
function agentOfModel({ env, cwd }: Host, config: WorkflowConfig | null): readonly [string] | null {
  if (config !== null && config.defaultAgent !== null) return null;
  return resolveCommand(MODEL_AGENT, { path: env.PATH ?? "", cwd }).ok ? [MODEL_AGENT] : null;
}

const MODEL_AGENT = "uwf-llm";

function readKey(host: Host, flag: string | null): Result<string | null, Fault> {
  if (flag === null) return ok(null);
  const given = flag === "-" ? host.readStdin(MAX_KEY_BYTES) : null;
  if (flag === "-" && given === null) return usage(`the key on stdin is more than ${MAX_KEY_BYTES} bytes`);
  const text = given === null ? flag : new TextDecoder().decode(given);
  const key = text.trim();
  if (key === "") return usage("the key is empty");
  if (key.length > MAX_KEY_BYTES || /[\r\n\0]/.test(key)) return usage("the key has more than one line");
  return ok(key);
}

function usage(reason: string): Result<never, Fault> {
  return misused(reason, "see `uwf help setup`; without options it asks on a terminal");
}

/** A place that speaks the OpenAI chat completion protocol. */
export type ProviderPreset = {
  readonly name: string;
  readonly label: string;
  /** `null`: asked for. */
  readonly baseUrl: string | null;
  readonly needsKey: boolean;
};

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
