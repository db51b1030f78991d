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

/** Why this is no name for a provider; `null` when it is one. It becomes a key of config.yaml and part of a variable. */
export function providerProblem(name: string): string | null {
  return /^[a-z][a-z0-9-]*$/.test(name)
    ? null
    : "the provider's name takes lower-case letters, digits and - only";
}

/** Why this is no base URL; `null` when it is one. */
export function urlProblem(url: string): string | null {
  const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return isHttp ? null : "the base URL must be an http or https URL";
}
