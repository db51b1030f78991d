import { err, type Fault, fault, ok, programOf, type Result } from "@uncaged/workflow-protocol";
import type { Agent, AgentReply } from "./author.js";
import { OUTSIDE } from "./call.js";
import { FaultError } from "./fault.js";
import { type Host, printResult } from "./host.js";
import { loadResume } from "./load.js";
import { firstReply, type Prepared, prepare, prepareVisit, promptIn } from "./main/index.js";
import { readOptions } from "./options.js";

/** What the kit needs of the process that asks. */
export type PromptHost = Pick<Host, "env" | "cwd" | "home" | "now">;

type Asked = {
  readonly thread: string;
  readonly role: string;
  /** The agent's command; `null`: unknown, so no session of it can be found. */
  readonly command: string | null;
  /** Whether the agent may go on in a session. */
  readonly resume: boolean;
};

export type NextPrompt = {
  readonly prompt: string;
  /** The session that it would be sent into, if the agent can continue one; `null`: a new one. */
  readonly sessionId: string | null;
};

/**
 * What an agent of the kit would be asked if it played the role now, to the byte. Runs nothing and writes nothing; `cwd` is
 * the folder where it would work. Faults: those that the agent itself would have before it begins.
 */
export async function nextPrompt(place: PromptHost, asked: Asked): Promise<Result<NextPrompt, Fault>> {
  const host: Host = {
    ...place,
    argv: [],
    setEnv: () => {},
    conceal: () => {},
    out: () => {},
    err: () => {},
    onInterrupt: () => {},
    graceMs: 0,
  };
  const { thread, role, command, resume } = asked;
  return guarded(async () => {
    const request = { args: [], thread, role };
    const agent = unheard(resume && command !== null);
    const prepared = await prepare(agent, host, request, new AbortController().signal);
    if (!prepared.ok) return prepared;
    return ok(await promptFor(prepared.value, host, command ?? ""));
  });
}

/** The result, or the fault that was thrown on the way to it. */
async function guarded<T>(work: () => Promise<Result<T, Fault>>): Promise<Result<T, Fault>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FaultError) return err(error.fault);
    throw error;
  }
}

async function promptFor(prepared: Prepared, host: Host, command: string): Promise<NextPrompt> {
  const self = await selfOf(prepared, programOf(command));
  const visit = await prepareVisit({ ...prepared, self }, host);
  if (visit.kind !== "session") return { prompt: prepared.context.prompt, sessionId: null };
  return { prompt: await promptIn(prepared, visit), sessionId: visit.sessionId };
}

/** Finds the name that the program gives itself, from its newest session of the role. */
async function selfOf({ open, role }: Prepared, program: string): Promise<Prepared["self"]> {
  const { sessionAt, stepsOfThread } = await loadResume();
  for (const step of stepsOfThread(open)) {
    if (step.payload.role !== role || programOf(step.payload.agent) !== program) continue;
    return { name: sessionAt(open, step)?.agent ?? program, program };
  }
  return { name: program, program };
}

/** An agent that is never called. */
function unheard(continues: boolean): Agent {
  const reply = (): AgentReply => ({ kind: "text", text: "" });
  return {
    name: "uwf",
    ...OUTSIDE,
    run: reply,
    continue: continues ? reply : null,
  };
}

const PROMPT_USAGE = "usage: uwf-agent-prompt [--agent <name>] [--json] [--fresh] <thread-id> <role>";

/** What `uwf-agent-prompt --help` prints. */
const PROMPT_HELP = `uwf-agent-prompt "$thread" "$role" | my-model > reply.md
uwf-agent-prompt --json --agent uwf-mine "$thread" "$role"

U${PROMPT_USAGE.slice(1)}

For agents in any language: prints the prompt for the thread's next step: output format, role,
task and history in one text.

Options:
  --json           {thread, role, head, sessionId, prompt, task, outputFormat, meta, steps}; where sessionId is not null,
                   prompt continues that session, in which the agent has played the role before: what has happened since
  --agent <name>   the agent's own name, to find its session
  --fresh          the complete prompt for a new session, even if there is an old one
`;

const KNOWN = { flags: ["--json", "--fresh"], values: ["--agent"] };

/** `uwf-agent-prompt`: prints what to ask the agent; returns the exit code. */
export async function runPrompt(host: Host): Promise<number> {
  const asksHelp = host.argv[0] === "--help" || host.argv[0] === "-h";
  return printResult(host, asksHelp ? ok(PROMPT_HELP) : await guarded(() => printedPrompt(host)));
}

async function printedPrompt(host: Host): Promise<Result<string, Fault>> {
  const options = readOptions(host.argv, KNOWN);
  const [thread, role, ...more] = options.ok ? options.value.rest : [];
  if (!options.ok || thread === undefined || role === undefined || more.length > 0) {
    const reason = options.ok ? "a thread id and a role are needed" : options.error;
    return err(fault("USAGE", { reason, usage: PROMPT_USAGE }));
  }
  const { flags, values } = options.value;
  const asked: Heard = { prompt: "", sessionId: null };
  // Plain text has no place for a session's id.
  const fresh = flags.has("--fresh") || !flags.has("--json");
  const agent = listener(values.get("--agent") ?? "uwf-agent-write", fresh, asked);
  const request = { args: [], thread, role };
  const prepared = await prepare(agent, host, request, new AbortController().signal);
  if (!prepared.ok) return prepared;
  const { reply } = await firstReply(prepared.value, host);
  if (reply.kind === "failed") return err(reply.fault);
  return ok(flags.has("--json") ? document(prepared.value, asked) : asked.prompt);
}

type Heard = { -readonly [Name in keyof NextPrompt]: NextPrompt[Name] };

/** An agent that only listens: in which session it would be asked, and what. */
function listener(name: string, fresh: boolean, asked: Heard): Agent {
  const hear = (prompt: string, sessionId: string | null): AgentReply => {
    Object.assign(asked, { prompt, sessionId });
    return { kind: "text", text: "" };
  };
  return {
    name,
    ...OUTSIDE,
    run: ({ prompt }) => hear(prompt, null),
    continue: fresh ? null : (sessionId, message) => hear(message, sessionId),
  };
}

function document({ open, role, metaSchema, context }: Prepared, { prompt, sessionId }: Heard): string {
  const { thread, head, start } = open;
  const printed = { thread, role, head, sessionId, prompt };
  const rest = {
    task: start.payload.prompt,
    outputFormat: context.outputFormatInstruction,
    meta: metaSchema,
  };
  return `${JSON.stringify({ ...printed, ...rest, steps: context.steps }, null, 2)}\n`;
}
