import type { ProviderPreset } from "./types.js";

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
