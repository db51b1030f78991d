import type { AgentContext, AgentReply, Fault, SessionFacts } from "@uncaged/workflow-agent-kit";
import { type Ran, TRACE_LIMIT } from "../command/index.js";
import type { Words } from "../words/index.js";
import type { Fields } from "./fields.js";

export type Around = {
  readonly context: AgentContext;
  readonly words: Words;
  readonly cwd: string;
};

/** How the command ended, and what it told of itself. The kit keeps the fields that the role's meta declares. */
export function replyOf(ran: Ran, told: Fields, around: Around): AgentReply {
  const { context, words } = around;
  const session = traceOf(ran, around);
  const [command = ""] = words.command;
  const { role } = context;
  if (context.signal.aborted) {
    const { outcome } = ran;
    return { kind: "failed", fault: { code: "AGENT_FAILED", command, role, outcome, stderr: "" }, session };
  }
  if (!told.ok) return { kind: "failed", fault: badFields(command, role, told.reason), session };
  const { exitCode, durationMs } = ran;
  const facts = { ok: exitCode === 0, exitCode, durationMs };
  return {
    kind: "output",
    value: { output: ran.tail(words.outputLimit), ...told.fields, ...facts },
    session,
  };
}

function badFields(command: string, role: string, problem: string): Fault {
  const message = `${command} as ${role} told its fields wrong: ${problem}`;
  const hint = "correct what the command writes there; then step again";
  return {
    code: "AGENT_FAILED",
    command,
    role,
    outcome: "",
    stderr: "",
    reason: "bad-result",
    message,
    hint,
  };
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
