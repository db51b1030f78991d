import type {
  AgentContext,
  AgentReply,
  FailureReason,
  Fault,
  SessionFacts,
} from "@uncaged/workflow-agent-kit";
import { err, ok, type Result } from "@uncaged/workflow-agent-kit";
import { resolveCommand } from "@uncaged/workflow-util";
import { type Options, parseArguments, USAGE } from "./arguments.js";
import { type AcpAgent, endOnAbort, type Live, type Port, saysTooMuch, startLive } from "./live.js";
import {
  type Failure,
  type Finished,
  failed,
  introduce,
  type Opened,
  type OpenSession,
  openSession,
  sendPrompt,
  setModel,
} from "./session.js";
import { type OwnAnswer, onlyAnswer, ownAnswer, type Trace, usageOf } from "./trace.js";

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
  const failure = end.ok ? unfinishedTurn(end.value.stopReason, conversed) : end.error;
  if (failure === null) return { kind: "text", text, session };
  const stderr = log.slice(-STDERR_CHARACTERS);
  const { outcome, why, sessionLost } = failure;
  const fault = { code: "AGENT_FAILED", command, role, outcome, stderr, ...why } as const;
  return { kind: "failed", fault, session, sessionLost };
}

function unfinishedTurn(stopReason: string, { text, rejections }: Conversed): Failure | null {
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
    if (!prepared.ok) return { kind: "failed", fault: prepared.error };
    const { options, command } = prepared.value;
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

type Prepared = { readonly options: Options; readonly command: string };

function prepare({ args, env }: AgentContext, { cwd }: Port): Result<Prepared, Fault> {
  const usage = (reason: string) => err<Fault>({ code: "USAGE", reason, usage: USAGE });
  const parsed = parseArguments(args);
  if (!parsed.ok) return usage(parsed.error);
  const [program] = parsed.value.command;
  if (program === undefined) return usage("there is no command");
  const command = resolveCommand(program, { path: env.PATH ?? "", cwd });
  return command.ok ? ok({ options: parsed.value, command: command.value }) : command;
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

type Reported = {
  readonly session: OpenSession;
  readonly trace: Trace;
  /** `result.usage`, unchecked. */
  readonly usage: unknown;
  readonly cwd: string;
};

type Usage = SessionFacts["usage"];

type Turns = SessionFacts["turns"];

/** What is known of a prompt's session; `null` for what the agent did not report. */
function factsOf(live: Live, isNew: boolean, { session, trace, usage, cwd }: Reported): SessionFacts {
  const { sessionId, model } = session;
  const turns = trace.turns();
  // A session's cost is reported as a total, and only a new session starts at 0. Whether the second prompt of a
  // process counts the first one again is not documented.
  const reportedUsage = live.prompts === 1 ? usageOf(usage, isNew ? trace.costUsd() : null) : null;
  const counted = live.introduced?.countsLastCall
    ? ofLastTurn(turns, reportedUsage)
    : { turns, usage: reportedUsage };
  return { sessionId, cwd, model, ...counted };
}

/** The usage of the last model call is not the usage of a prompt with several calls. */
function ofLastTurn(turns: Turns, usage: Usage): { readonly turns: Turns; readonly usage: Usage } {
  if (usage === null || turns.length <= 1) return { turns, usage };
  const tokens = { input: usage.inputTokens, output: usage.outputTokens };
  return {
    turns: turns.map((turn, index) => (index === turns.length - 1 ? { ...turn, tokens } : turn)),
    usage: null,
  };
}

export type Question = {
  readonly prompt: string;
  /** The session to continue; `null` starts a new one. */
  readonly resume: string | null;
  readonly model: string | null;
  /** Called with the session's id before the prompt is sent, so that a killed run has one too. */
  readonly onSession: (session: Pick<OpenSession, "sessionId" | "model">) => void;
};

/** The result of a prompt; a failed one has the session's facts too. */
type Conversed = {
  readonly end: Result<Finished, Failure>;
  readonly text: string;
  /** Calls that were rejected. */
  readonly rejections: readonly string[];
  readonly session: SessionFacts | null;
};

/** The whole conversation: initialize, a session, the model, the prompt. */
export async function converse(live: Live, question: Question, port: Port): Promise<Conversed> {
  const opened = await ready(live, question, port);
  if (!opened.ok) return { end: opened, text: "", rejections: [], session: null };
  const { session, replays } = opened.value;
  question.onSession(session);
  if (replays) {
    live.loaded = true;
    await historyTold(live, port);
  }
  const trace = (live.loaded ? ownAnswer : onlyAnswer)(question.prompt, port.now);
  live.listener = { sessionId: session.sessionId, trace };
  live.prompts += 1;
  const prompted = await sendPrompt(live.talk, session, question.prompt);
  const failure = failureIn(live, trace, prompted.ok);
  const end = failure === null ? prompted : err(failure);
  const usage = end.ok ? end.value.usage : null;
  const facts = factsOf(live, question.resume === null, { session, trace, usage, cwd: port.cwd });
  return { end, text: trace.text(), rejections: live.rejections, session: facts };
}

/** Ignores the history that a loaded session replays, until it pauses. */
async function historyTold(live: Live, { times }: Port): Promise<void> {
  for (let waited = 0; waited < times.startMs; waited += times.quietMs) {
    const before = live.heard;
    await new Promise((resolve) => {
      setTimeout(resolve, times.quietMs);
    });
    if (live.heard === before) return;
  }
}

function failureIn({ broken }: Live, trace: OwnAnswer, answered: boolean): Failure | null {
  if (broken !== null) {
    return failed(`did something other than what it was allowed to do: ${broken}`, { reason: "bad-result" });
  }
  if (answered && trace.isHistory()) return MIXED;
  return answered || !saysTooMuch(trace) ? null : TOO_MUCH;
}

/** The history came after the prompt, and no echo marks its end: an old approval must not pass for a new one. */
const MIXED: Failure = {
  ...failed("replayed its session's history together with the new answer"),
  sessionLost: true,
};

const TOO_MUCH = failed("wrote too much in one turn and was stopped");

type Ready = Pick<Opened, "session" | "replays">;

async function ready(live: Live, { resume, model }: Question, port: Port): Promise<Result<Ready, Failure>> {
  if (live.session !== null && live.session.sessionId === resume)
    return ok({ session: live.session, replays: false });
  const introduced = await introduce(live.talk, port.version);
  if (!introduced.ok) return introduced;
  live.introduced = introduced.value;
  const opened = await openSession(live.talk, introduced.value, resume);
  if (!opened.ok) return opened;
  const { session, response, replays } = opened.value;
  live.session = session;
  if (model === null || model === session.model) return opened;
  const failure = await setModel(live.talk, session, response, model);
  if (failure !== null) return err(failure);
  live.session = { ...session, model };
  return ok({ session: live.session, replays });
}
