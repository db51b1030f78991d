import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { Agent, AgentReply } from "./author/index.js";
import { FaultError } from "./fault.js";
import type { Host } from "./host.js";
import { firstReply, type Prepared, prepare } from "./main/index.js";
import { readOptions } from "./options.js";
import { printResult } from "./print.js";

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
  return printResult(host, asksHelp ? ok(PROMPT_HELP) : await guarded(host));
}

async function guarded(host: Host): Promise<Result<string, Fault>> {
  try {
    return await promptFor(host);
  } catch (error) {
    if (error instanceof FaultError) return err(error.fault);
    throw error;
  }
}

async function promptFor(host: Host): Promise<Result<string, Fault>> {
  const options = readOptions(host.argv, KNOWN);
  const [thread, role, ...more] = options.ok ? options.value.rest : [];
  if (!options.ok || thread === undefined || role === undefined || more.length > 0) {
    const reason = options.ok ? "a thread id and a role are needed" : options.error;
    return err(fault("USAGE", { reason, usage: PROMPT_USAGE }));
  }
  const { flags, values } = options.value;
  const asked: Asked = { prompt: "", sessionId: null };
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

type Asked = { prompt: string; sessionId: string | null };

/** An agent that only listens: in which session it would be asked, and what. */
function listener(name: string, fresh: boolean, asked: Asked): Agent {
  const hear = (prompt: string, sessionId: string | null): AgentReply => {
    Object.assign(asked, { prompt, sessionId });
    return { kind: "text", text: "" };
  };
  return {
    name,
    version: null,
    help: null,
    outside: true,
    dotEnv: "all",
    keyVariables: [],
    run: ({ prompt }) => hear(prompt, null),
    continue: fresh ? null : (sessionId, message) => hear(message, sessionId),
  };
}

function document({ open, role, metaSchema, context }: Prepared, { prompt, sessionId }: Asked): string {
  const { thread, head, start } = open;
  const printed = { thread, role, head, sessionId, prompt };
  const rest = {
    task: start.payload.prompt,
    outputFormat: context.outputFormatInstruction,
    meta: metaSchema,
  };
  return `${JSON.stringify({ ...printed, ...rest, steps: context.steps }, null, 2)}\n`;
}
