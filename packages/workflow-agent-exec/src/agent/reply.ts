import {
  type AgentContext,
  type AgentReply,
  type SessionFacts,
  validateFrontmatter,
} from "@uncaged/workflow-agent-kit";
import { type Port, type Ran, TRACE_LIMIT } from "../command/index.js";
import type { Words } from "../words/index.js";

export type Around = {
  readonly context: AgentContext;
  readonly words: Words;
  readonly cwd: string;
  readonly port: Port;
};

/** A command that prints a valid header speaks for itself; of any other the exit tells. */
export function replyOf(ran: Ran, around: Around): AgentReply {
  const { context, words, port } = around;
  const session = traceOf(ran, around);
  if (context.signal.aborted) return interrupted(ran, around, session);
  const header = validateFrontmatter(context.metaSchema, ran.stdout);
  if (header.ok && Object.keys(header.value.value).length > 0)
    return { kind: "text", text: ran.stdout, session };
  if (!header.ok && ran.stdout.trimStart().startsWith("---\n")) {
    port.stderr(
      `uwf-exec: the header it printed is not valid, its exit code counts: ${header.error.join("; ")}`,
    );
  }
  const { exitCode, durationMs } = ran;
  // The kit keeps those that the role's meta declares.
  const value = { ok: exitCode === 0, exitCode, durationMs, output: ran.tail(words.outputLimit) };
  return { kind: "output", value, session };
}

function interrupted(
  { outcome }: Ran,
  { context: { role }, words }: Around,
  session: SessionFacts,
): AgentReply {
  const command = words.command[0] ?? "";
  return { kind: "failed", fault: { code: "AGENT_FAILED", command, role, outcome, stderr: "" }, session };
}

/** One turn with one tool call: the command, and what it wrote. */
function traceOf(ran: Ran, { context, words, cwd }: Around): SessionFacts {
  const call = {
    name: "exec",
    arguments: JSON.stringify({ command: words.command, cwd }),
    result: ran.tail(TRACE_LIMIT),
    durationMs: ran.durationMs,
  };
  const turn = {
    input: context.prompt,
    output: `The command ${ran.outcome}.`,
    toolCalls: [call],
    tokens: null,
    latencyMs: ran.durationMs,
  };
  return { sessionId: null, cwd, model: null, turns: [turn], usage: null };
}
