import type { AgentContext, AgentReply, Fault } from "@uncaged/workflow-agent-kit";
import { resolveCommand } from "@uncaged/workflow-util";
import { type Options, parseArguments, USAGE } from "../arguments/index.js";
import { converse, type Question } from "./converse.js";
import { endOnAbort } from "./interrupt.js";
import { judge } from "./judge.js";
import { type Live, startLive } from "./live.js";
import type { AcpAgent, Port } from "./types.js";

/**
 * The two functions of the agent. Each prompt has a process of its own, and goes on in a session by loading it. Only an
 * agent that cannot load sessions is kept until `close`: it could not correct its header otherwise.
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
      const reply = judge(
        conversed,
        { command: nameOf(options), role: context.role },
        live.connection.said(),
      );
      if (reply.kind === "text" && isLost(live)) kept = live;
      else await end(live, conversed.end.ok);
      return reply;
    } catch (error) {
      // A bug of ours: the agent is not to outlive it.
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

/** Whether its session would be lost with its process. */
function isLost({ introduced }: Live): boolean {
  return introduced !== null && !introduced.canLoad && !introduced.canResume;
}

/** An agent that has done its work may end by itself; one that has not is told to. */
async function end({ connection }: Live, finished: boolean): Promise<void> {
  if (!finished) connection.kill("SIGTERM");
  await connection.close();
}
