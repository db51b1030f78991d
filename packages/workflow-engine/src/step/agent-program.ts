import { basename } from "node:path";
import { ENV, err, type Fault, fault, ok, type Result, VARIABLES } from "@uncaged/workflow-protocol";
import type { WorkflowConfig } from "@uncaged/workflow-store";
import { resolveCommand } from "@uncaged/workflow-util";
import { agentsOnPath, CODING_AGENTS, drivesAProgram, lackingCommand, nearAgent } from "../agents.js";
import type { Host } from "../host.js";
import type { AgentCommand } from "./types.js";

type ProgramLookup = {
  readonly host: Host;
  readonly config: WorkflowConfig | null;
  /** Where the thread's agents work. */
  readonly workFolder: string;
};

/** The absolute path of an agent's program, if it can be started at all. Starts nothing. */
export function findAgentProgram(
  { host, config, workFolder }: ProgramLookup,
  { program, isTyped, args }: Pick<AgentCommand, "program" | "isTyped" | "args">,
): Result<string, Fault> {
  const path = host.env.PATH ?? "";
  const cwd = isTyped ? host.cwd : workFolder;
  const resolved = resolveCommand(program, { path: `${host.binaries}:${path}`, cwd });
  if (!resolved.ok) return err(withSuggestion(resolved.error, { path, config }));
  const driver = driverOf(resolved.value, path);
  if (driver !== null) {
    const reason = `it is the program that ${driver} drives, and knows nothing of threads`;
    const hint = `name the agent: --agent ${driver}, or \`command: ${driver}\` in config.yaml`;
    return err(fault("AGENT_UNUSABLE", { command: program, reason, hint }));
  }
  const lacking = lackingCommand([program, ...args]);
  if (lacking !== null) {
    const hint = `put the command behind it: --agent "${lacking} -- <command>", or in \`args\` in config.yaml`;
    return err(
      fault("AGENT_UNUSABLE", { command: lacking, reason: "it needs a command, and has none", hint }),
    );
  }
  return resolved;
}

/** Asks a coding agent whether the program that it drives is installed, `claude` of `uwf-claude`: it knows where to look. */
export async function checkDrivenProgram(host: Host, program: string): Promise<Result<void, Fault>> {
  if (!CODING_AGENTS.includes(basename(program)) || (await drivesAProgram(host, program)))
    return ok(undefined);
  const reason = "the program that it drives is not installed";
  const hint = `\`${basename(program)} --check\` says what to install; or choose another agent with --agent`;
  return err(fault("AGENT_UNUSABLE", { command: program, reason, hint }));
}

function withSuggestion(
  failure: Fault,
  { path, config }: Pick<ProgramLookup, "config"> & { readonly path: string },
): Fault {
  if (failure.code !== "AGENT_NOT_FOUND") return failure;
  const known = [...Object.keys(config?.agents ?? {}), ...agentsOnPath(path)];
  // Users do not install agents in the folder of our own programs.
  return { ...failure, path, suggestion: nearAgent(failure.command, known) };
}

/** The agent for a program such as `claude` or `cursor-agent` on PATH; `null`: it is no such program. */
function driverOf(file: string, path: string): string | null {
  const name = basename(file);
  if (name.startsWith("uwf-")) return null;
  const agent = `uwf-${name.replace(/-agent$/, "")}`;
  const onPath = (command: string): string | null => {
    const found = resolveCommand(command, { path, cwd: "/" });
    return found.ok ? found.value : null;
  };
  if (!CODING_AGENTS.includes(agent) && onPath(agent) === null) return null;
  // A file of this name anywhere else may be the user's own agent.
  return onPath(name) === file ? agent : null;
}

const KEPT = Object.values(VARIABLES).flatMap(({ name, kept }) => (kept ? [name] : []));

/** Passed to every agent, whatever its `env` lists: it could not work or report without these. */
const ALWAYS: ReadonlySet<string> = new Set(["PATH", "HOME", ...KEPT]);

/** They are for one alias, or one step; what an agent starts does not inherit them. */
const OF_OUTER_RUN: ReadonlySet<string> = new Set([ENV.agentEnv, ENV.resume, ENV.notes, ENV.leased]);

type Run = {
  /** The alias's `env`; `null` passes everything. */
  readonly passed: readonly string[] | null;
  /** Whether the agent resumes its sessions. */
  readonly resume: boolean;
  readonly root: string;
  /** Its working folder. */
  readonly workFolder: string;
  readonly head: string;
  readonly token: string;
  /** The file with the run's notes; `null`: there is none. */
  readonly notes: string | null;
  readonly stepKey: string;
  /** The command, with keys removed. */
  readonly agent: string;
  readonly keyNames: readonly string[];
  /** Whether a text contains one of the keys. */
  readonly isSecret: (text: string) => boolean;
};

/** The agent's environment: ours or the listed part of it, and uwf's variables about the run. */
export function agentEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  run: Run,
): Readonly<Record<string, string>> {
  const names = run.passed === null ? null : new Set([...ALWAYS, ...run.passed]);
  // No prototype: a variable may be called `__proto__`.
  const inherited: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || OF_OUTER_RUN.has(name) || names?.has(name) === false) continue;
    if (!wouldBeListed(name, value, run.isSecret)) inherited[name] = value;
  }
  return {
    ...inherited,
    ...(run.passed === null ? {} : { [ENV.agentEnv]: run.passed.join(",") }),
    ...(run.resume ? {} : { [ENV.resume]: "off" }),
    ...(run.notes === null ? {} : { [ENV.notes]: run.notes }),
    PWD: run.workFolder,
    [ENV.storageRoot]: run.root,
    [ENV.head]: run.head,
    [ENV.run]: run.token,
    [ENV.stepKey]: run.stepKey,
    [ENV.agent]: run.agent,
    [ENV.keyNames]: run.keyNames.join(","),
  };
}

// A variable whose name is not valid in a shell is passed as an argument of env(1), which every user can see.
function wouldBeListed(name: string, value: string, isSecret: Run["isSecret"]): boolean {
  return !isPlain(name) && isSecret(value);
}

/** Whether the name is valid in a shell. */
function isPlain(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

// Times that are set by environment variables, not in config.yaml.

type Env = Readonly<Record<string, string | undefined>>;

/** Between SIGTERM and SIGKILL, and between a result and the end of an agent that does not exit. */
const GRACE_SECONDS = 5;

/** Before the first retry; each further one waits twice as long, up to 60 times this. */
const BACKOFF_SECONDS = 1;
const LONGEST_BACKOFF = 60;

/** A value that is not a time is refused (2), not replaced by the default. */
export function checkTimes(env: Env): Result<void, Fault> {
  for (const name of [ENV.graceSeconds, ENV.backoffSeconds]) {
    const text = env[name] ?? "";
    if (text.trim() !== "" && !(Number.isFinite(Number(text)) && Number(text) >= 0)) {
      const reason = `${name} is ${JSON.stringify(text)}, not a number of seconds`;
      return err(fault("USAGE", { reason, usage: `set it to seconds, 0 or more, or \`unset ${name}\`` }));
    }
  }
  return ok(undefined);
}

export function graceMs(env: Env): number {
  return 1000 * secondsOf(env[ENV.graceSeconds], GRACE_SECONDS);
}

/** The wait after run number `attempt` has failed. */
export function backoffMs(env: Env, attempt: number): number {
  return (
    1000 * secondsOf(env[ENV.backoffSeconds], BACKOFF_SECONDS) * Math.min(2 ** (attempt - 1), LONGEST_BACKOFF)
  );
}

/** `text` has passed `checkTimes`. */
function secondsOf(text: string | undefined, otherwise: number): number {
  return text === undefined || text.trim() === "" ? otherwise : Number(text);
}
