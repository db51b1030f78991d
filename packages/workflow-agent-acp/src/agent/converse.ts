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
import { type Live, saysTooMuch } from "./live.js";
import type { Port } from "./types.js";

type Told = {
  readonly session: OpenSession;
  readonly trace: Trace;
  /** `result.usage`, as it came. */
  readonly usage: unknown;
  readonly cwd: string;
};

type Usage = SessionFacts["usage"];

type Turns = SessionFacts["turns"];

/** What is known of a prompt's session; what the agent has not told, or told of something else, is `null`. */
function factsOf(live: Live, isNew: boolean, { session, trace, usage, cwd }: Told): SessionFacts {
  const { sessionId, model } = session;
  const turns = trace.turns();
  // What a session has cost is told for all of it, and only a new one began at nothing. Whether the second prompt of a
  // process counts the first one again is not told.
  const told = live.prompts === 1 ? usageOf(usage, isNew ? trace.costUsd() : null) : null;
  const counted = live.introduced?.countsLastCall ? ofLastTurn(turns, told) : { turns, usage: told };
  return { sessionId, cwd, model, ...counted };
}

/** The usage of the last call of the model is not that of a prompt with several. */
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
  /** The session to go on in; `null` begins a new one. */
  readonly resume: string | null;
  readonly model: string | null;
  /** Hears the session's id before the prompt is sent: a run that is killed has one, too. */
  readonly onSession: (session: Pick<OpenSession, "sessionId" | "model">) => void;
};

/** What came of a prompt; the session's facts also where it failed. */
export type Conversed = {
  readonly end:
    | { readonly ok: true; readonly finished: Finished }
    | { readonly ok: false; readonly failure: Failure };
  readonly text: string;
  /** What the agent was not allowed to do. */
  readonly rejections: readonly string[];
  readonly session: SessionFacts | null;
};

/** The whole talk: who are you, a session, the model, the prompt. */
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

/** What a loaded session says of its past is nobody's, as long as it goes on without a pause. */
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
    return failed(`did something other than it was allowed to: ${broken}`, { reason: "bad-result" });
  }
  if (answered && trace.isHistory()) return MIXED;
  return answered || !saysTooMuch(trace) ? null : TOO_MUCH;
}

/** The old conversation came after the prompt, and no echo says where it ends: an old approval may not become a new one. */
const MIXED: Failure = {
  ...failed("sent the old conversation of its session together with the new answer"),
  sessionLost: true,
};

const TOO_MUCH = failed("wrote too much in one turn and was ended");

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
  const failure = await setModel(live.talk, opened.session, opened.told, model);
  if (failure !== null) return { ok: false, failure };
  live.session = { ...opened.session, model };
  return { ok: true, session: live.session, replays: opened.replays };
}
