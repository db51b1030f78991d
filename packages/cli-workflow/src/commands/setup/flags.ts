import { err, type Fault, fault, ok, type Result, type WorkflowConfig } from "@uncaged/workflow-protocol";
import { PROVIDER_PRESETS } from "@uncaged/workflow-store";
import type { Host } from "../../io/index.js";
import { splitWords } from "../../words/index.js";
import { keyVariable, providerProblem, urlProblem } from "./names.js";
import type { SetupAnswers, SetupRequest } from "./types.js";

const MAX_KEY_BYTES = 4096;

/** What the storage root has already. */
type KnownBefore = {
  readonly config: WorkflowConfig | null;
  readonly dotEnv: Readonly<Record<string, string>>;
};

/**
 * The answers from the command line alone: no question, but everything that is missing at once. An agent alone is
 * enough, for it may have a login of its own; a provider of `config` needs only what changes.
 */
export function answersFromFlags(
  host: Host,
  request: SetupRequest,
  { config, dotEnv }: KnownBefore,
): Result<SetupAnswers, Fault> {
  const agent = request.agent === null ? ok(null) : splitWords(request.agent);
  if (!agent.ok) return agent;
  const { agent: _, ...aboutModel } = request;
  if (agent.value !== null && Object.values(aboutModel).every((value) => value === null))
    return ok({ provider: null, model: null, agent: agent.value });
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
    ...(model === null && !hasModel ? ["--model"] : []),
    ...(lacksKey ? [variable === null ? "--api-key" : `--api-key (or ${variable} in the environment)`] : []),
  ];
  if (provider === null || baseUrl === null || variable === null || missing.length > 0) {
    return usage(
      `setup needs ${missing.join(", ")}; for an agent with a login of its own --agent alone is enough`,
    );
  }
  const problem = providerProblem(provider) ?? urlProblem(baseUrl);
  if (problem !== null) return usage(problem);
  const apiKey = key.value === null && !known ? null : { variable, value: key.value };
  return ok({
    provider: { name: provider, baseUrl, apiKey },
    model: model === null ? null : { provider, name: model },
    agent: agent.value,
  });
}

function readKey(host: Host, flag: string | null): Result<string | null, Fault> {
  if (flag === null) return ok(null);
  const given = flag === "-" ? host.readStdin(MAX_KEY_BYTES) : null;
  if (flag === "-" && given === null) return usage(`the key on stdin is more than ${MAX_KEY_BYTES} bytes`);
  const text = given === null ? flag : new TextDecoder().decode(given);
  const key = text.trim();
  if (key === "") return usage("the key is empty");
  if (key.length > MAX_KEY_BYTES || /[\r\n\0]/.test(key)) return usage("the key is more than one line");
  return ok(key);
}

function usage(reason: string): Result<never, Fault> {
  return err(
    fault("USAGE", { reason, usage: "see `uwf help setup`; without options on a terminal it asks" }),
  );
}
