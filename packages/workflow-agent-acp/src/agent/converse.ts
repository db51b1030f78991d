import type { SessionFacts } from "@uncaged/workflow-agent-kit";
import {
  type Failure,
  type Finished,
  failed,
  introduce,
  type OpenSession,
  openSession,
  sendPrompt,
  setModel,
} from "../session.js";
import { type OwnAnswer, onlyAnswer, ownAnswer, type Trace, usageOf } from "../trace/index.js";
import type { Port } from "./live.js";
import { type Live, saysTooMuch } from "./live.js";

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
export type Conversed = {
  readonly end:
    | { readonly ok: true; readonly finished: Finished }
    | { readonly ok: false; readonly failure: Failure };
  readonly text: string;
  /** Calls that were rejected. */
  readonly rejections: readonly string[];
  readonly session: SessionFacts | null;
};

/** The whole conversation: initialize, a session, the model, the prompt. */
export async function converse(live: Live, question: Question, port: Port): Promise<Conversed> {
  const opened = await ready(live, question, port);
  if (!opened.ok) return { end: opened, text: "", rejections: [], session: null };
  const { session } = opened;
  question.onSession(session);
  if (opened.replays) {
    live.loaded = true;
    await historyTold(live, port);
  }
  const trace = (live.loaded ? ownAnswer : onlyAnswer)(question.prompt, port.now);
  live.listener = { sessionId: session.sessionId, trace };
  live.prompts += 1;
  const prompted = await sendPrompt(live.talk, session, question.prompt);
  const failure = failureIn(live, trace, prompted.ok);
  const end = failure === null ? prompted : { ok: false as const, failure };
  const usage = end.ok ? end.finished.usage : null;
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

type Ready =
  | { readonly ok: true; readonly session: OpenSession; readonly replays: boolean }
  | { readonly ok: false; readonly failure: Failure };

async function ready(live: Live, { resume, model }: Question, port: Port): Promise<Ready> {
  if (live.session !== null && live.session.sessionId === resume) {
    return { ok: true, session: live.session, replays: false };
  }
  const introduced = await introduce(live.talk, port.version);
  if (!introduced.ok) return introduced;
  live.introduced = introduced.introduced;
  const opened = await openSession(live.talk, introduced.introduced, resume);
  if (!opened.ok) return opened;
  live.session = opened.session;
  if (model === null || model === opened.session.model) return opened;
  const failure = await setModel(live.talk, opened.session, opened.response, model);
  if (failure !== null) return { ok: false, failure };
  live.session = { ...opened.session, model };
  return { ok: true, session: live.session, replays: opened.replays };
}
