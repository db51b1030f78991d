import type { ConfigChanges } from "./types.js";

/** One value of config.yaml to set. */
export type Edit = {
  readonly path: readonly string[];
  /** `undefined` takes the key away. */
  readonly value: string | readonly string[] | undefined;
  readonly onlyIfAbsent: boolean;
};

/** Changes as single values, in the order in which a new file shows them. */
export function editsOf({
  provider,
  model,
  agent,
  defaultModel,
  defaultAgent,
}: ConfigChanges): readonly Edit[] {
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
        ]),
    ...(defaultAgent === null ? [] : [set(["defaultAgent"], defaultAgent)]),
    ...(defaultModel === null ? [] : [set(["defaultModel"], defaultModel)]),
  ];
}

function set(path: readonly string[], value: Edit["value"]): Edit {
  return { path, value, onlyIfAbsent: false };
}
