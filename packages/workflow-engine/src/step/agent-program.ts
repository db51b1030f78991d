import { basename } from "node:path";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
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
