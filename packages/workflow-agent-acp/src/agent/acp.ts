import type { AgentContext, AgentReply, FailureReason, Fault } from "@uncaged/workflow-agent-kit";
import { resolveCommand } from "@uncaged/workflow-util";
import { type Options, parseArguments, USAGE } from "../arguments.js";
import { type Failure, failed } from "../session.js";
import { type Conversed, converse, type Question } from "./converse.js";
import type { AcpAgent, Port } from "./live.js";
import { endOnAbort, type Live, startLive } from "./live.js";

/** Stop reasons of a turn that ended before the work was done. */
const STOPS: Readonly<Record<string, readonly [outcome: string, reason: FailureReason]>> = {
  max_tokens: ["reached its limit of tokens", "limit-reached"],
  max_turn_requests: ["reached its limit of requests in one turn", "limit-reached"],
  refusal: ["refused to continue", "refused"],
  cancelled: ["was cancelled", "crashed"],
};

const STDERR_CHARACTERS = 2000;

type Who = { readonly command: string; readonly role: string };

/** Success needs both: a turn that ended normally, and a final text. Each alone is known to be wrong at times. */
function classifyTurn(conversed: Conversed, { command, role }: Who, log: string): AgentReply {
  const { end, text, session } = conversed;
  const failure = end.ok ? failureIn(end.finished.stopReason, conversed) : end.failure;
  if (failure === null) return { kind: "text", text, session };
  const stderr = log.slice(-STDERR_CHARACTERS);
  const { outcome, why, sessionLost } = failure;
  const fault = { code: "AGENT_FAILED", command, role, outcome, stderr, ...why } as const;
  return { kind: "failed", fault, session, sessionLost };
}

function failureIn(stopReason: string, { text, rejections }: Conversed): Failure | null {
  if (stopReason !== "end_turn") {
    const [outcome, reason] = STOPS[stopReason] ?? [`stopped for the reason "${stopReason}"`, "bad-result"];
    return failed(outcome, { reason });
  }
  if (text.trim() !== "") return null;
  // Some agents end their turn without a message after a rejected call.
  const last = rejections.at(-1);
  return failed(last === undefined ? "gave no answer" : `gave no answer; uwf-acp had ${last}`, {
    reason: "bad-result",
  });
}

/**
 * The two functions of the agent. Each prompt starts a new process, which continues a session by loading it. Only an
 * agent that cannot load sessions is kept running until `close`: otherwise it could not correct its header.
 */
export function acpAgent(port: Port): AcpAgent {
  let kept: Live | null = null;

  const ask = async (
    context: AgentContext,
    question: Pick<Question, "prompt" | "resume">,
  ): Promise<AgentReply> => {
    const prepared = prepare(context, port);
    if (!prepared.ok) return { kind: "failed", fault: prepared.fault };
    const { options, command } = prepared;
    const known = kept?.session?.sessionId === question.resume ? kept : null;
    if (known === null) kept?.connection.kill("SIGKILL");
    kept = null;
    const live = known ?? startLive(context, options, command, port);
    const stopListening = endOnAbort(live, context.signal);
    try {
      const onSession: Question["onSession"] = ({ sessionId, model }) => context.report({ sessionId, model });
      const conversed = await converse(live, { ...question, model: options.model, onSession }, port);
      const reply = classifyTurn(
        conversed,
        { command: nameOf(options), role: context.role },
        live.connection.stderrText(),
      );
      if (reply.kind === "text" && isLost(live)) kept = live;
      else await end(live, conversed.end.ok);
      return reply;
    } catch (error) {
      // A bug of ours: the agent must not outlive it.
      await end(live, false);
      throw error;
    } finally {
      stopListening();
    }
  };

  return {
    run: (context) => ask(context, { prompt: context.prompt, resume: null }),
    continue: (resume, prompt, context) => ask(context, { prompt, resume }),
    close: () => kept?.connection.kill("SIGKILL"),
  };
}

type Prepared =
  | { readonly ok: true; readonly options: Options; readonly command: string }
  | { readonly ok: false; readonly fault: Fault };

function prepare({ args, env }: AgentContext, { cwd }: Port): Prepared {
  const parsed = parseArguments(args);
  if (!parsed.ok) return usage(parsed.reason);
  const [program] = parsed.options.command;
  if (program === undefined) return usage("there is no command");
  const command = resolveCommand(program, { path: env.PATH ?? "", cwd });
  if (!command.ok) return { ok: false, fault: command.error };
  return { ok: true, options: parsed.options, command: command.value };
}

function usage(reason: string): Prepared {
  return { ok: false, fault: { code: "USAGE", reason, usage: USAGE } };
}

function nameOf({ command }: Options): string {
  return command[0] ?? "";
}

/** Whether its session is lost when its process ends. */
function isLost({ introduced }: Live): boolean {
  return introduced !== null && !introduced.canLoad && !introduced.canResume;
}

/** An agent that is done may exit by itself; any other one is asked to. */
async function end({ connection }: Live, finished: boolean): Promise<void> {
  if (!finished) connection.kill("SIGTERM");
  await connection.close();
}
