import type { JsonValue, Store } from "@uncaged/json-cas";
import { ENV, err, exitCodeOf, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import type { Agent, AgentContext, AgentDefinition, Reply } from "../author.js";
import { asAgent } from "../call.js";
import type { VariantExample } from "../example/index.js";
import { FaultError, renderFault } from "../fault.js";
import { endProcess, type Host, processHost, unprinted } from "../host.js";
import type { ChatPort } from "../llm/index.js";
import { loadLlm } from "../load.js";
import { type Meter, reportFault } from "../report.js";
import type { OpenThread, Self } from "../thread.js";
import { makeStep, prepare } from "./step.js";

/** Everything that is known once the command line, the thread and the role are. */
export type Prepared = {
  readonly agent: Agent;
  /** What the step says of its agent. */
  readonly command: string;
  readonly self: Self;
  readonly open: OpenThread;
  readonly role: string;
  /** The process's working folder. */
  readonly cwd: string;
  readonly metaSchema: JsonValue;
  /** Finds the role's meta without the disk. */
  readonly types: Pick<Store, "get">;
  readonly context: AgentContext;
  /** Those of the prompt. */
  readonly examples: () => readonly VariantExample[];
  readonly promptSeen: () => string;
  readonly meter: Meter;
};

/** The way to a model; tests bring their own. */
export type MakePort = (signal: AbortSignal) => Promise<ChatPort>;

/** A run whose agent has replied. */
export type Replied = {
  readonly prepared: Prepared;
  readonly reply: Exclude<Reply, { readonly kind: "failed" | "waiting" }>;
  /** What the agent was sent; "" when it never looked at its prompt. */
  readonly asked: string;
  /** Epoch ms. */
  readonly startedAt: number;
};

const REAL_PORT: MakePort = async (signal) => (await loadLlm()).realPort(signal);

/** The complete life of an agent's process, as its exit code. It prints the step's hash, or an error on stderr. */
export async function runAgent(
  definition: AgentDefinition,
  host: Host,
  makePort = REAL_PORT,
): Promise<number> {
  const agent = asAgent(definition);
  return agent.ok
    ? playAgent(agent.value, host, makePort)
    : fail(host, fault("BUG", { reason: agent.error }), null);
}

/** The same for an agent that needs no gate. */
export async function playAgent(agent: Agent, host: Host, makePort = REAL_PORT): Promise<number> {
  const command = parseArgv(host.argv);
  const printed = await perform(agent, host, command, makePort);
  const thread = "thread" in command ? command.thread : null;
  if (!printed.ok) return fail(host, printed.error, thread);
  const failure = unprinted(host, printed.value);
  return failure === null ? 0 : fail(host, failure, thread);
}

async function perform(
  agent: Agent,
  host: Host,
  command: ReturnType<typeof parseArgv>,
  makePort: MakePort,
): Promise<Result<string, Fault>> {
  switch (command.kind) {
    case "help":
      return { ok: true, value: agent.help ?? helpText(agent.name) };
    case "version":
      return { ok: true, value: `${agent.name}${agent.version === null ? "" : ` ${agent.version}`}\n` };
    case "usage":
      return err(fault("USAGE", { reason: command.reason, usage: `usage: ${usageLine(agent.name)}` }));
    default:
      return guarded(host, (signal) => step(agent, host, command, makePort, signal));
  }
}

type Request = Parameters<typeof prepare>[2];

async function step(
  agent: Agent,
  host: Host,
  request: Request,
  makePort: MakePort,
  signal: AbortSignal,
): Promise<Result<string, Fault>> {
  const prepared = await prepare(agent, host, request, signal);
  if (!prepared.ok) return prepared;
  const debug = (stack: string): void => {
    if (wantsStack(host)) host.err(`${stack}\n`);
  };
  const made = await makeStep(prepared.value, host, makePort, debug);
  return made.ok ? { ok: true, value: `${made.value}\n` } : made;
}

/** An interrupted run that fails has failed for that reason; a result that still comes is a result. */
async function guarded(
  host: Host,
  work: (signal: AbortSignal) => Promise<Result<string, Fault>>,
): Promise<Result<string, Fault>> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<Result<string, Fault>>((resolve) => {
    host.onInterrupt((signal) => {
      controller.abort(signal);
      timer = setTimeout(() => resolve(interrupted(signal)), host.graceMs);
    });
  });
  const result = await Promise.race([settled(host, work(controller.signal)), overdue]);
  clearTimeout(timer);
  if (result.ok || !controller.signal.aborted) return result;
  return interrupted(String(controller.signal.reason));
}

function interrupted(signal: string): Result<never, Fault> {
  return err(fault("INTERRUPTED", { signal, recorded: null }));
}

/** What is thrown here is a fault in disguise, or a bug. */
async function settled(host: Host, work: Promise<Result<string, Fault>>): Promise<Result<string, Fault>> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FaultError) return err(error.fault);
    if (wantsStack(host) && error instanceof Error) host.err(`${error.stack ?? ""}\n`);
    return err(fault("BUG", { reason: error instanceof Error ? error.message : String(error) }));
  }
}

function wantsStack({ env }: Host): boolean {
  return env[ENV.debug] === "1";
}

/** Under uwf the failure is reported to uwf, which prints it once, with its hint. */
function fail(host: Host, failure: Fault, thread: string | null): number {
  if (!reportFault(host, thread, failure)) {
    host.err(renderFault(failure, host.env[ENV.errorFormat] === "json"));
  }
  return exitCodeOf(failure);
}

/**
 * The `main` of an agent's binary: `await createAgent({ name, run })()`. It takes `<thread-id> <role>` from the command
 * line, calls `run`, reads the structured output from the reply, stores the step and prints its hash. It sets the
 * process's exit code and never throws; the words are those of the process unless given.
 */
export function createAgent(definition: AgentDefinition): (argv?: readonly string[]) => Promise<void> {
  return async (argv = process.argv.slice(2)) => {
    endProcess(await runAgent(definition, processHost(argv)));
  };
}

/** What an agent's command line asks for. */
type AgentCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "usage"; readonly reason: string }
  | {
      readonly kind: "run";
      /** The agent's own words, before the two that uwf adds. */
      readonly args: readonly string[];
      readonly thread: string;
      readonly role: string;
    };

/** `[args…] <thread-id> <role>`: whatever comes before the last two words is the agent's own. */
function parseArgv(argv: readonly string[]): AgentCommand {
  const [first] = argv;
  if (first === "--help" || first === "-h") return { kind: "help" };
  if (first === "--version") return { kind: "version" };
  const thread = argv.at(-2);
  const role = argv.at(-1);
  if (thread === undefined || role === undefined) {
    return {
      kind: "usage",
      reason: argv.length === 0 ? "no thread id and no role" : "no role after the thread id",
    };
  }
  return { kind: "run", args: argv.slice(0, -2), thread, role };
}

function usageLine(name: string): string {
  return `${name} [arguments] <thread-id> <role>`;
}

function helpText(name: string): string {
  return `Usage: ${usageLine(name)}

An agent of uwf: acts as the role in the thread's next step, stores the step and prints its hash. It does not move
the thread's head; \`uwf thread step <thread-id> --agent ${name}\` runs it and does.
`;
}
