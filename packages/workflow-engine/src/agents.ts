import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { suggest } from "@uncaged/json-cas";
import { ENV } from "@uncaged/workflow-protocol";
import type { WorkflowConfig } from "@uncaged/workflow-store";
import {
  type ChildOutcome,
  definedOnly,
  resolveCommand,
  runChild,
  sanitizeTerminal,
} from "@uncaged/workflow-util";
import { ADDED_AGENTS } from "./added-agents.made.js";
import { CODING_AGENT_FOLDERS } from "./coding-agents.made.js";
import type { Host } from "./host.js";

const GRACE_MS = 200;

/** One question to a program: the words that ask it, and how long and how much it may answer. */
type Question = {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly limitBytes: number;
};

/** Runs a program to its end with nothing on stdin; after the time limit its complete group is ended. */
export function askProgram(host: Host, question: Question): Promise<ChildOutcome> {
  const { file, args, env, timeoutMs, limitBytes } = question;
  const token = host.newToken();
  const output = { kind: "memory", limitBytes } as const;
  return runChild({
    command: file,
    args,
    cwd: host.cwd,
    env: { ...env, [ENV.run]: token },
    stdin: { kind: "null" },
    stdout: output,
    stderr: output,
    limits: { timeoutMs, graceMs: GRACE_MS },
    token,
  });
}

/** Names of programs `uwf-*` on PATH, sorted; `uwf-agent-*` are tools for authors of agents and no agents. */
export function agentsOnPath(path: string): readonly string[] {
  const names = path.split(":").flatMap((folder) => (folder === "" ? [] : list(folder)));
  return [...new Set(names.filter((name) => /^uwf-(?!agent-)[a-z0-9-]+$/.test(name)))].sort();
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // PATH often names folders that do not exist.
  }
}

/** The agent that was probably meant: a typo is likelier than a missing program, and many leave out the `uwf-`. */
export function nearAgent(typed: string, known: readonly string[]): string | null {
  const full = `uwf-${typed}`;
  return known.includes(full) ? full : suggest(typed, known);
}

/** An agent that `setup` can offer. */
export type InstalledAgent = {
  /** Its program, `uwf-claude`. */
  readonly name: string;
  /** Version of the program that the agent drives, or what is missing; `null` if unknown. */
  readonly note: string | null;
};

/** An agent starts its CLI to hear its version, and some of those take their time. */
const TIMEOUT_MS = 15_000;

const OUTPUT_BYTES = 16 * 1024;

const NOTE_CHARACTERS = 100;

/** PATH may be full of them; each costs a process or two. */
const MAX_ASKED = 32;

/** Each drives the program of its name, which has its own login. */
export const CODING_AGENTS: readonly string[] = Object.keys(CODING_AGENT_FOLDERS);

type OwnAgent = {
  /** What it works with, which the person has to name: alone it cannot work. */
  readonly needs: "command" | "model" | "scenario" | null;
  /** `roles`: it can play any; `job`: one job of a workflow about documents, never a default; `play`: no model of its own. */
  readonly use: "roles" | "job" | "play";
};

/** The agents that come with uwf and drive no coding agent. */
const OWN_AGENTS = {
  "uwf-acp": { needs: "command", use: "roles" },
  "uwf-react": { needs: "model", use: "roles" },
  "uwf-llm": { needs: "model", use: "roles" },
  "uwf-exec": { needs: "command", use: "roles" },
  "uwf-worktree": { needs: "command", use: "roles" },
  "uwf-workflow": { needs: null, use: "play" },
  "uwf-mock": { needs: "scenario", use: "play" },
} as const satisfies Readonly<Record<string, OwnAgent>>;

export type OwnAgentName = keyof typeof OWN_AGENTS;

/** What is known of an agent that comes with uwf; `null`: it does not, or it drives a coding agent. */
export function ownAgent(name: string): OwnAgent | null {
  if (ADDED_AGENTS.includes(name)) return { needs: null, use: "job" };
  return Object.hasOwn(OWN_AGENTS, name) ? OWN_AGENTS[name as OwnAgentName] : null;
}

/** The agent among these words that needs a command behind it and has none; `null`: nothing is lacking. */
export function lackingCommand([program = "", ...args]: readonly string[]): string | null {
  const name = basename(program);
  if (ownAgent(name)?.needs !== "command") return null;
  if (args.length === 0 || args.at(-1) === "--") return name;
  return name === "uwf-worktree" && args.includes("--")
    ? lackingCommand(args.slice(args.indexOf("--") + 1))
    : null;
}

/** Whether `command` runs the command that its arguments name. */
export function runsACommand(command: string): boolean {
  return ownAgent(basename(command))?.needs === "command";
}

/** The agent among these words that calls a model, when config.yaml has none for it; `null`: nothing is lacking. */
export function lackingModel(words: readonly string[], config: WorkflowConfig | null): string | null {
  const agent = words.map((word) => basename(word)).find((name) => ownAgent(name)?.needs === "model");
  if (agent === undefined) return null;
  const named = words[words.indexOf("--model") + 1];
  if (words.includes("--model") && named !== undefined)
    return Object.hasOwn(config?.models ?? {}, named) ? null : agent;
  const { defaultModel = null, modelOverrides = {} } = config ?? {};
  return defaultModel !== null || Object.keys(modelOverrides).length > 0 ? null : agent;
}

/** The agents on PATH that can work without further words, as any role. */
export function agentsToChoose(path: string): readonly string[] {
  return agentsOnPath(path).filter((name) => {
    const own = ownAgent(name);
    return own?.needs !== "command" && own?.use !== "job";
  });
}

/**
 * The agents on PATH that could work: each is asked with `--check`, all at once. An agent whose program is not
 * installed is left out; one without `--check` is assumed to work. `variables` are added to its environment.
 */
export async function installedAgents(
  host: Host,
  variables: Readonly<Record<string, string>>,
): Promise<readonly InstalledAgent[]> {
  const names = agentsToChoose(host.env.PATH ?? "");
  const asked = await Promise.all(names.slice(0, MAX_ASKED).map((name) => ask(host, name, variables)));
  return asked.flatMap((agent) => agent ?? []);
}

/** Whether the program that an agent drives is installed; of an agent that does not say: yes. */
export async function drivesAProgram(host: Host, agent: string): Promise<boolean> {
  return !/^uwf-(?!agent-)[^/]*$/.test(basename(agent)) || (await ask(host, agent, {})) !== null;
}

async function ask(
  host: Host,
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<InstalledAgent | null> {
  const file = resolveCommand(name, { path: host.env.PATH ?? "", cwd: host.cwd });
  if (!file.ok) return null;
  const outcome = await askProgram(host, {
    file: file.value,
    args: ["--check"],
    env: { ...variables, ...definedOnly(host.env) },
    timeoutMs: TIMEOUT_MS,
    limitBytes: OUTPUT_BYTES,
  });
  return agentOf(name, outcome.stdout ?? "");
}

/** The report of `--check`, if the agent prints one. */
export function agentOf(name: string, stdout: string): InstalledAgent | null {
  const report = parse(stdout);
  if (report.installed === false) return null;
  const lacks = report.loggedIn === false ? `not logged in: ${words(report.how)}` : words(report.version);
  return { name, note: lacks === "" ? null : lacks.slice(0, NOTE_CHARACTERS) };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {}; // Words for a person, or nothing.
  }
}

function words(value: unknown): string {
  return typeof value === "string" ? sanitizeTerminal(value).trim() : "";
}
