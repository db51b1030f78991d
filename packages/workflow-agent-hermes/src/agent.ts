import {
  GRACE_MS,
  listen,
  type ProgramRun,
  recordIn,
  type Surroundings,
  type Trace,
} from "@uncaged/workflow-agent-cli";
import {
  type AgentContext,
  type AgentDefinition,
  type AgentReply,
  type SessionFacts,
  type Why,
  whyOf,
} from "@uncaged/workflow-agent-kit";
import {
  chat,
  exportRun,
  exportSession,
  type Features,
  type Probed,
  probe,
  type WholeRun,
} from "./hermes.js";
import { errorMark, failureLine, isLost, reachedLimit, sessionIdIn, streamEvents, textIn } from "./output.js";
import {
  finalText,
  type HermesSession,
  NOTHING_USED,
  type Totals,
  turnsOf,
  usageBetween,
} from "./session.js";

/** The process around the agent. */
export type Port = {
  readonly cwd: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
};

/** A session's totals when we last read them: a resume's usage counts from here. */
type Mark = { readonly totals: Totals | null; readonly lastMessage: number };

const FRESH: Mark = { totals: NOTHING_USED, lastMessage: -1 };

function markOf({
  totals,
  messages,
}: {
  readonly totals: Totals | null;
  readonly messages: HermesSession["messages"];
}): Mark {
  return { totals, lastMessage: Math.max(-1, ...messages.map(({ id }) => id)) };
}

/** What is known of one call, which began at `before`. `null`: unknown. */
type Known = {
  readonly whole: WholeRun | null;
  readonly before: Mark | null;
  readonly trace: Trace;
  readonly sessionId: string | null;
  readonly isFresh: boolean;
  readonly cwd: string;
};

/**
 * Reads the session that hermes keeps, with complete tool results; falls back to the stream, whose results are cut.
 * Whether the stream's tokens count a resumed session from its beginning is not documented.
 */
function factsOf({ whole, before, trace, sessionId, isFresh, cwd }: Known): SessionFacts {
  if (whole === null) {
    const { model, turns, usage } = trace;
    return { sessionId, cwd, model, turns, usage: isFresh ? usage : null };
  }
  const added = whole.messages.filter(({ id }) => id > (before?.lastMessage ?? -1));
  return {
    sessionId,
    cwd: whole.session.cwd ?? cwd,
    model: whole.session.model ?? trace.model,
    turns: turnsOf(added),
    usage: usageBetween(before?.totals ?? null, whole.totals),
  };
}

type Ran = {
  readonly run: ProgramRun;
  /** The stream; `null`: it was run with plain output. */
  readonly stream: Trace | null;
  readonly whole: WholeRun | null;
  readonly session: SessionFacts;
  readonly role: string;
  readonly resumed: boolean;
};

/** Success needs all of: exit 0, a final text, no error. Each alone is known to be wrong at times. */
function classifyRun(ran: Ran): AgentReply {
  const { run, session, resumed } = ran;
  const text = textOf(ran);
  const outcome = failureOf(ran, text);
  // What hermes prints around its answer is not part of it, but may explain it.
  const raw = squeezed(text) === squeezed(textIn(run.stdout)) ? run.stdout.trim() : text;
  if (outcome === null) return { kind: "text", text, raw, isExact: run.isUtf8, session };
  const stderr = run.stderr.slice(-2000);
  const fault = {
    code: "AGENT_FAILED",
    command: "hermes",
    role: ran.role,
    outcome,
    stderr,
    ...whyItFailed(run, outcome),
  } as const;
  const sessionLost = resumed && isLost(run.stdout, run.stderr);
  return sessionLost ? { kind: "failed", sessionLost, fault, session } : { kind: "failed", fault, session };
}

function whyItFailed({ code }: ProgramRun, outcome: string): Why {
  const why = whyOf(outcome);
  if (why.reason === "auth") return { ...why, hint: "run `hermes setup`; then step again" };
  const isEmpty = code === 0 && !outcome.startsWith("reported");
  return why.reason === undefined && isEmpty ? { reason: "bad-result" } : why;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The answer: the end of the stream, else of the session, else stdout. */
function textOf({ run, stream, whole }: Ran): string {
  const kept = whole === null ? null : finalText(whole.messages);
  return stream === null ? (kept ?? textIn(run.stdout)) : stream.text || (kept ?? "");
}

/** How it failed, as the end of the sentence "hermes …"; `null`: it did not. */
function failureOf({ run, stream }: Ran, text: string): string | null {
  const words = stream === null ? run.stdout : "";
  const mark = stream === null ? errorMark(words, run.stderr) : stream.failed;
  const done = stream === null || stream.done;
  // A summary forced at the limit is not an answer to the task.
  if (reachedLimit(words, run.stderr)) return "reached its limit of iterations (--max-turns)";
  if (run.code === 0 && mark === null && done && text.trim() !== "") return null;
  const reason = stream?.failed ?? failureLine(words, run.stderr);
  const ended = run.code === 0 ? (mark === null ? unsaid(done) : "reported an error") : run.outcome;
  return reason === "" ? ended : `${ended} (${reason})`;
}

function unsaid(done: boolean): string {
  return done ? "gave no answer" : "ended without a final record";
}

/** Kept between two calls of one process: the sessions' totals, and what the installed hermes supports. */
type Memory = { readonly marks: Map<string, Mark>; probed: Promise<Probed> | null };

/** The two functions of the agent; they share the sessions. */
export function hermesAgent(port: Port): Required<Pick<AgentDefinition, "run" | "continue">> {
  const memory: Memory = { marks: new Map(), probed: null };
  return {
    run: (context) => ask(context, port, memory, { prompt: context.prompt, resume: null }),
    continue: (resume, prompt, context) => ask(context, port, memory, { prompt, resume }),
  };
}

type Question = { readonly prompt: string; readonly resume: string | null };

async function ask(
  context: AgentContext,
  port: Port,
  memory: Memory,
  question: Question,
): Promise<AgentReply> {
  const surroundings = surroundingsOf(context, port);
  memory.probed ??= probe(surroundings);
  const probed = await memory.probed;
  if (!probed.ok) return { kind: "failed", fault: probed.fault };
  const before = await markBefore(question.resume, memory, surroundings);
  return answer({ context, port, memory, question, surroundings, before, features: probed.features });
}

type Asked = {
  readonly context: AgentContext;
  readonly port: Port;
  readonly memory: Memory;
  readonly question: Question;
  readonly surroundings: Surroundings;
  readonly before: Mark | null;
  readonly features: Features;
};

async function answer(asked: Asked): Promise<AgentReply> {
  const { context, port, memory, surroundings, before, features } = asked;
  const { prompt, resume } = asked.question;
  const startedAt = port.now();
  const listener = listen(prompt);
  const onLine = (line: string): void => {
    const record = features.stream ? recordIn(line) : null;
    if (record !== null) for (const event of streamEvents(record)) listener.hear(event);
  };
  const called = await chat({ prompt, args: context.args, resume, features, onLine }, surroundings);
  if (!called.ok) return { kind: "failed", fault: called.fault };
  const { run } = called;
  const trace = listener.trace();
  const sessionId = trace.sessionId ?? sessionIdIn(streamless(run, features), run.stderr);
  const whole =
    sessionId === null || context.signal.aborted
      ? null
      : await exportRun(sessionId, startedAt - SLACK_MS, surroundings);
  if (sessionId !== null && whole !== null) memory.marks.set(sessionId, markOf(whole));
  const session = factsOf({ whole, before, trace, sessionId, isFresh: resume === null, cwd: port.cwd });
  const stream = features.stream ? trace : null;
  return classifyRun({ run, stream, whole, session, role: context.role, resumed: resume !== null });
}

/** Hermes has the same clock, but rounds. */
const SLACK_MS = 1000;

/** The text in which we search for messages. */
function streamless({ stdout }: ProgramRun, { stream }: Features): string {
  return stream ? "" : stdout;
}

/** A session of an earlier step must be read before it grows. */
async function markBefore(
  resume: string | null,
  { marks }: Memory,
  surroundings: Surroundings,
): Promise<Mark | null> {
  if (resume === null) return FRESH;
  const known = marks.get(resume);
  if (known !== undefined) return known;
  const session = await exportSession(resume, surroundings);
  return session === null ? null : markOf(session);
}

function surroundingsOf({ env, signal, heartbeat }: AgentContext, { cwd, stderr }: Port): Surroundings {
  return { env, cwd, signal, heartbeat, stderr, graceMs: GRACE_MS };
}
