import { ENV, messageOf, type Usage } from "@uncaged/workflow-protocol";
import { createLogger, sanitizeTerminal } from "@uncaged/workflow-util";
import type { SessionFacts } from "../author.js";
import { type Called, callContinue, callRun } from "../call.js";
import type { Host } from "../host.js";
import { loadResume } from "../load.js";
import { addUsage } from "../report.js";
import type { Visit } from "../resume.js";
import { attemptsOf } from "../steps.js";
import type { Prepared } from "./run.js";

/** A session of an earlier visit that this step could not continue. */
type NotContinued = {
  readonly sessionId: string;
  readonly reason: string;
  /** What was sent into it; "" when nothing was. */
  readonly asked: string;
  /** What the attempt cost, if it is known to have cost anything. */
  readonly usage: Usage | null;
};

/** One line on stderr, and one in the log. */
function tellNotContinued({ agent, role, open }: Prepared, host: Host, failed: NotContinued): void {
  const line = `${agent.name}: ${sentence(failed)}; a new session gets the complete history`;
  host.err(`${sanitizeTerminal(line)}\n`);
  const { storage, thread, redactor } = open;
  const log = createLogger({ dir: storage.paths.logs, now: storage.now, thread });
  const { sessionId, reason } = failed;
  const facts = { agent: agent.name, role, sessionId, reason };
  log("5WD9Z1HR", "a session was not continued", redactor.value(facts));
}

/** The facts of the new session, after a turn about the old one. */
function noteOf(failed: NotContinued, session: SessionFacts): SessionFacts {
  const turn = {
    input: failed.asked,
    output: sentence(failed),
    toolCalls: [],
    tokens: null,
    latencyMs: null,
  };
  const usage = failed.usage === null ? session.usage : addUsage(failed.usage, session.usage);
  return { ...session, turns: [turn, ...session.turns], usage };
}

function sentence({ sessionId, reason }: NotContinued): string {
  return `session ${sessionId} was not continued: ${reason.split("\n", 1)[0]}`;
}

/** How the agent was called first, and with what. */
type First = Called & {
  /** The prompt as it was sent; "" when the agent never looked at it. */
  readonly asked: string;
};

/**
 * The agent's reply: in the session of a failed run of this step, or of the role's last visit, if there is one,
 * else in a new one with the complete history. Throws `FaultError` if the history is damaged or the prompt too
 * large.
 */
export async function firstReply(prepared: Prepared, host: Host): Promise<First> {
  const first = await call(prepared, host, await prepareVisit(prepared, host));
  return withSession(first, (session) => placed(session, host.cwd));
}

/** The session that this step would go on in. */
export async function prepareVisit(
  { agent, self, open, role }: Prepared,
  { env, cwd }: Host,
): Promise<Visit> {
  if (agent.continue === null || env[ENV.resume] === "off") return { kind: "none" };
  const attempts = attemptsOf(open, self, role);
  if (open.last === null && attempts.length === 0) return { kind: "none" };
  const { findVisit } = await loadResume();
  return findVisit(open, { agent: self, role, cwd, attempts });
}

function call(prepared: Prepared, host: Host, visit: Visit): Promise<First> {
  switch (visit.kind) {
    case "session":
      return goOn(prepared, host, visit);
    case "elsewhere": {
      const reason = `it belongs to the folder ${visit.cwd}, and this step works in ${host.cwd}`;
      return beginAnew(prepared, host, { sessionId: visit.sessionId, reason, asked: "", usage: null });
    }
    case "failing": {
      const { sessionId, reason } = visit;
      return beginAnew(prepared, host, { sessionId, reason, asked: "", usage: null });
    }
    default:
      return begin(prepared);
  }
}

async function begin({ agent, context, promptSeen }: Prepared): Promise<First> {
  const called = await callRun(agent, context);
  return { ...called, asked: promptSeen() };
}

async function goOn(prepared: Prepared, host: Host, { sessionId, since, attempt }: Session): Promise<First> {
  const { agent, context } = prepared;
  const asked = await promptIn(prepared, { since, attempt });
  // Whatever the outcome: it must be found when failures in this session are counted.
  prepared.meter.tell({ sessionId, cwd: null, model: null, usage: null });
  const called = await callContinue(agent, context, sessionId, asked);
  if (called === null) return begin(prepared);
  const { reply } = called;
  if (reply.kind === "failed" && reply.sessionLost && !context.signal.aborted) {
    const { usage } = reply.session;
    prepared.meter.restart(usage);
    return beginAnew(prepared, host, { sessionId, reason: messageOf(reply.fault), asked, usage });
  }
  return withSession({ ...called, asked }, (session) => ({
    ...session,
    sessionId: session.sessionId ?? sessionId,
  }));
}

type Session = Extract<Visit, { readonly kind: "session" }>;

/** What is sent into a session that goes on. */
export async function promptIn(
  { context, open }: Prepared,
  { since, attempt }: Pick<Session, "since" | "attempt">,
): Promise<string> {
  const { promptAfter, promptSince } = await loadResume();
  // It is unknown how much of its prompt has reached a failed run: a session started by one gets the complete
  // prompt.
  const prompt = since === null ? context.prompt : promptSince(open, context, since);
  return attempt === null ? prompt : promptAfter(prompt, attempt);
}

/** A new session after one that could not be continued: this is reported, and kept in the trace and the log. */
async function beginAnew(prepared: Prepared, host: Host, failed: NotContinued): Promise<First> {
  tellNotContinued(prepared, host, failed);
  return withSession(await begin(prepared), (session) => noteOf(failed, session));
}

function withSession(first: First, change: (session: SessionFacts) => SessionFacts): First {
  return { ...first, reply: { ...first.reply, session: change(first.reply.session) } };
}

/** A session without a reported folder belongs to this process's folder: it can be continued only there. */
function placed(session: SessionFacts, cwd: string): SessionFacts {
  return session.sessionId === null || session.cwd !== null ? session : { ...session, cwd };
}
