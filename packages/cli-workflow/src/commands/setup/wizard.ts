import { isCancel, log, password, select, spinner, text, updateSettings } from "@clack/prompts";
import {
  type InstalledAgent,
  installedAgents,
  lackingModel,
  splitWords,
  type UndefinedAlias,
} from "@uncaged/workflow-engine";
import type { WorkflowConfig } from "@uncaged/workflow-store";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import type { Host } from "../../io.js";
import {
  agentAlias,
  keyVariable,
  PROVIDER_PRESETS,
  type ProviderPreset,
  providerProblem,
  urlProblem,
} from "./flags.js";
import type { SetupAnswers, Words } from "./setup.js";

const NO_AGENT = "";

class Cancelled extends Error {}

/** The end of what is typed. Without an alias it would close the terminal's reader, and the question wait for ever. */
const CTRL_D = "\u0004";

/** What is known before anything is asked. */
type Known = {
  readonly dotEnv: Readonly<Record<string, string>>;
  readonly config: WorkflowConfig | null;
  readonly missing: readonly UndefinedAlias[];
};

/**
 * Asks for an agent, for the aliases that the project around this folder needs, and, if wanted, for provider, endpoint,
 * key and model; `null` if the person gives up.
 */
export async function askSetup(host: Host, { dotEnv, config, missing }: Known): Promise<SetupAnswers | null> {
  updateSettings({ aliases: { [CTRL_D]: "cancel" } });
  try {
    const found = await findAgents(host, dotEnv);
    const agent = await askAgent(found);
    const named = agent === null ? null : agentAlias(agent[0]);
    const aliases = await askAliases(
      found,
      missing.filter(({ alias }) => alias !== named),
    );
    // Claude Code, say: its own login is all that it needs.
    const needsModel = agent !== null && lackingModel(agent, config) !== null;
    if (needsModel) log.info(`${agent[0]} calls a model itself: which one?`);
    else if (agent !== null && !(await askWhetherModel()))
      return { provider: null, model: null, agent, aliases };
    const preset = await askPreset();
    const known = preset.baseUrl !== null;
    const provider = known
      ? preset.name
      : await ask("Name of the provider", (text) => providerProblem(text?.trim() ?? "") ?? undefined);
    const baseUrl =
      preset.baseUrl ??
      (await ask(
        "Base URL of its OpenAI-compatible endpoint",
        (text) => urlProblem(text?.trim() ?? "") ?? undefined,
      ));
    const apiKey = !preset.needsKey ? null : await askKey(host, keyVariable(provider), dotEnv);
    const model = await ask("Model, as the provider names it", filledProblem);
    return {
      provider: { name: provider, baseUrl, apiKey },
      model: { provider, name: model },
      agent,
      aliases,
    };
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

async function findAgents(
  host: Host,
  dotEnv: Readonly<Record<string, string>>,
): Promise<readonly InstalledAgent[]> {
  const looking = spinner();
  looking.start("Looking for agents on PATH");
  const found = await installedAgents(host, dotEnv);
  looking.stop(found.length === 0 ? "No agent on PATH" : "Agents on PATH whose program is installed:");
  return found;
}

async function askAgent(found: readonly InstalledAgent[]): Promise<Words | null> {
  const options = [...found.map(optionOf), { value: NO_AGENT, label: "none yet" }];
  const chosen = answered(await select({ message: "Default agent", options }));
  return chosen === NO_AGENT ? null : [chosen];
}

function optionOf({ name, note }: InstalledAgent) {
  return { value: name, label: name, ...(note === null ? {} : { hint: note }) };
}

const ANOTHER = "another";

/** The project's author chose the aliases: only the user says which program each one starts. */
async function askAliases(
  found: readonly InstalledAgent[],
  missing: readonly UndefinedAlias[],
): Promise<SetupAnswers["aliases"]> {
  const names = [...new Set(missing.map(({ alias }) => alias))];
  const aliases: { alias: string; words: Words }[] = [];
  for (const alias of names) {
    const roles = missing.filter((each) => each.alias === alias);
    const plays = roles.map(({ role, workflow }) => `${role} of ${workflow}`).join(", ");
    const options = [
      ...found.map(optionOf),
      { value: ANOTHER, label: "another command" },
      { value: NO_AGENT, label: "leave it" },
    ];
    const message = sanitizeTerminal(`This project has the agent "${alias}" play ${plays}. What is it?`);
    const chosen = answered(await select({ message, options }));
    if (chosen === NO_AGENT) continue;
    const words = chosen === ANOTHER ? await askCommand() : ([chosen] as const);
    aliases.push({ alias, words });
  }
  return aliases;
}

async function askCommand(): Promise<Words> {
  const typed = await ask("Its program and arguments", (text) =>
    splitWords(text ?? "").ok ? undefined : "It must be a program, perhaps with arguments.",
  );
  const words = splitWords(typed);
  if (!words.ok) throw new Error("the question has checked it");
  return words.value;
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
