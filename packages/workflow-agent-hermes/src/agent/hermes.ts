import { GRACE_MS, listen, type ProgramRun, recordIn, type Surroundings } from "@uncaged/workflow-agent-cli";
import type { AgentContext, AgentDefinition, AgentReply } from "@uncaged/workflow-agent-kit";
import { chat, exportRun, exportSession, type Features, type Probed, probe } from "../hermes/index.js";
import { sessionIdIn, streamEvents } from "../output/index.js";
import { FRESH, factsOf, markOf } from "./facts.js";
import { judge } from "./judge.js";
import type { Mark, Port } from "./types.js";

/** Between two calls of one process: where sessions stand, and what the installed hermes can do. */
type Memory = { readonly marks: Map<string, Mark>; probed: Promise<Probed> | null };

/** The two functions of the agent; sessions are remembered between them. */
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
  return judge({ run, stream, whole, session, role: context.role, resumed: resume !== null });
}

/** Hermes's clock is ours, but it rounds. */
const SLACK_MS = 1000;

/** What a reader of words may look for words in. */
function streamless({ stdout }: ProgramRun, { stream }: Features): string {
  return stream ? "" : stdout;
}

/** A session of an earlier step has to be looked at before it grows. */
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
