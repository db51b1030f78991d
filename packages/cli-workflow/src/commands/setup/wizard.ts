import { isCancel, password, select, spinner, text } from "@clack/prompts";
import { PROVIDER_PRESETS, type ProviderPreset } from "@uncaged/workflow-store";
import { installedAgents } from "../../agents.js";
import type { Host } from "../../io.js";
import { keyVariable, providerProblem, urlProblem } from "./flags.js";
import type { SetupAnswers } from "./setup.js";

const NO_AGENT = "";

class Cancelled extends Error {}

/** Asks for an agent and, if wanted, for provider, endpoint, key and model; `null` if the person gives up. */
export async function askSetup(
  host: Host,
  dotEnv: Readonly<Record<string, string>>,
): Promise<SetupAnswers | null> {
  try {
    const agent = await askAgent(host, dotEnv);
    // Claude Code, say: its own login is all that it needs.
    if (agent !== null && !(await askWhetherModel())) return { provider: null, model: null, agent };
    const preset = await askPreset();
    const known = preset.baseUrl !== null;
    const provider = known
      ? preset.name
      : await ask("Name of the provider", (text) => undefinedFor(providerProblem(text?.trim() ?? "")));
    const baseUrl =
      preset.baseUrl ??
      (await ask("Base URL of its OpenAI-compatible endpoint", (text) =>
        undefinedFor(urlProblem(text?.trim() ?? "")),
      ));
    const apiKey = !preset.needsKey ? null : await askKey(host, keyVariable(provider), dotEnv);
    const model = await ask("Model, as the provider names it", filledProblem);
    return { provider: { name: provider, baseUrl, apiKey }, model: { provider, name: model }, agent };
  } catch (error) {
    if (error instanceof Cancelled) return null;
    throw error;
  }
}

async function askWhetherModel(): Promise<boolean> {
  const options = [
    { value: false, label: "no, the agent has its own login" },
    { value: true, label: "yes", hint: "uwf-react and uwf-llm need one; it also repairs replies" },
  ];
  return answered(await select({ message: "Also set up a model with an API key?", options }));
}

async function askPreset(): Promise<ProviderPreset> {
  const options = PROVIDER_PRESETS.map((preset) => ({ value: preset, label: preset.label }));
  return answered(await select({ message: "Provider", options }));
}

async function askKey(host: Host, variable: string, dotEnv: Readonly<Record<string, string>>) {
  const known = Boolean(host.env[variable] ?? dotEnv[variable]);
  const note = known ? " (leave empty to keep the current one)" : "";
  const key = answered(
    await password({
      message: `API key, kept in .env as ${variable}${note}`,
      validate: (value) => (known ? undefined : filledProblem(value)),
    }),
  );
  return { variable, value: key?.trim() ? key.trim() : null };
}

async function askAgent(
  host: Host,
  dotEnv: Readonly<Record<string, string>>,
): Promise<readonly [string, ...string[]] | null> {
  const looking = spinner();
  looking.start("Looking for agents on PATH");
  const found = await installedAgents(host, dotEnv);
  looking.stop(found.length === 0 ? "No agent on PATH" : "Agents on PATH whose program is installed:");
  const options = [
    ...found.map(({ name, note }) => ({
      value: name,
      label: name,
      ...(note === null ? {} : { hint: note }),
    })),
    { value: NO_AGENT, label: "none yet" },
  ];
  const chosen = answered(await select({ message: "Default agent", options }));
  return chosen === NO_AGENT ? null : [chosen];
}

async function ask(
  message: string,
  validate: (value: string | undefined) => string | undefined,
): Promise<string> {
  return answered(await text({ message, validate })).trim();
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Cancelled();
  return answer as Exclude<T, symbol>;
}

function filledProblem(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? "It must not be empty." : undefined;
}

function undefinedFor(problem: string | null): string | undefined {
  return problem ?? undefined;
}
