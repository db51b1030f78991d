import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { PROVIDER_PRESETS } from "@uncaged/workflow-store";
import type { Host } from "../../io/index.js";
import { splitWords } from "../../words/index.js";
import { keyVariable, providerProblem, urlProblem } from "./names.js";
import type { SetupAnswers, SetupRequest } from "./types.js";

const MAX_KEY_BYTES = 4096;

/** The answers from the command line alone: no question, but everything that is missing at once. */
export function answersFromFlags(
  host: Host,
  request: SetupRequest,
  dotEnv: Readonly<Record<string, string>>,
): Result<SetupAnswers, Fault> {
  const { provider, baseUrl, model } = request;
  const variable = provider === null ? null : keyVariable(provider);
  const key = readKey(host, request.apiKey);
  if (!key.ok) return key;
  const known = variable !== null && Boolean(host.env[variable] ?? dotEnv[variable]);
  const keyless = PROVIDER_PRESETS.some((preset) => preset.name === provider && !preset.needsKey);
  const lacksKey = key.value === null && !known && !keyless;
  const missing = [
    ...(provider === null ? ["--provider"] : []),
    ...(baseUrl === null ? ["--base-url"] : []),
    ...(model === null ? ["--model"] : []),
    ...(lacksKey ? [variable === null ? "--api-key" : `--api-key (or ${variable} in the environment)`] : []),
  ];
  if (provider === null || baseUrl === null || model === null || variable === null || missing.length > 0) {
    return usage(`setup needs ${missing.join(", ")}`);
  }
  const problem = providerProblem(provider) ?? urlProblem(baseUrl);
  if (problem !== null) return usage(problem);
  const agent = request.agent === null ? ok(null) : splitWords(request.agent);
  if (!agent.ok) return agent;
  const apiKey = key.value === null && !known ? null : { variable, value: key.value };
  return ok({ provider, baseUrl, apiKey, model, agent: agent.value });
}

function readKey(host: Host, flag: string | null): Result<string | null, Fault> {
  if (flag === null) return ok(null);
  const text =
    flag === "-" ? new TextDecoder().decode(host.readStdin().subarray(0, MAX_KEY_BYTES + 1)) : flag;
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
