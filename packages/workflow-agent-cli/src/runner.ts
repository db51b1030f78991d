import type { AgentContext, AgentDefinition, AgentReply, SessionFacts } from "@uncaged/workflow-agent-kit";
import type { Adapter } from "./adapters/index.js";
import { classifyRun, recordedUsage } from "./classify.js";
import { callProgram, findProgram, type Surroundings } from "./program.js";
import {
  type AgentEvent,
  type JsonRecord,
  type Listener,
  listen,
  recordIn,
  session,
  type Tokens,
  type Trace,
  text,
  usageBetween,
} from "./trace.js";

/** The process around an agent. */
export type Port = {
  readonly cwd: string;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
  readonly isRoot: boolean;
  /** Between SIGTERM and SIGKILL for a program, in ms. */
  readonly graceMs: number;
  /** How long a program may stay after its result before it gets SIGTERM, in ms. */
  readonly lingerMs: number;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
  /** Wall clock, as in records of other programs: epoch ms. */
  readonly time: () => number;
};

/** More than the limit of a reply, with JSON quoting. */
const STDOUT_BYTES = 32 * 1024 * 1024;

/** The two functions of an agent that is a CLI. They share the sessions' counts. */
export function createCliAgent(
  adapter: Adapter,
  port: Port,
): Required<Pick<AgentDefinition, "name" | "run" | "continue" | "keyVariables">> {
  const totals = new Map<string, Tokens>();
  const ask = (context: AgentContext, question: Question): Promise<AgentReply> =>
    askCli({ adapter, port, context, totals, ...question });
  return {
    name: `uwf-${adapter.name}`,
    keyVariables: adapter.keyVariables,
    run: (context) => ask(context, { prompt: context.prompt, resume: null }),
    continue: (resume, prompt, context) => ask(context, { prompt, resume }),
  };
}

type Question = { readonly prompt: string; readonly resume: string | null };

type Asked = Question & {
  readonly adapter: Adapter;
  readonly port: Port;
  readonly context: AgentContext;
  readonly totals: Map<string, Tokens>;
};

async function askCli(asked: Asked): Promise<AgentReply> {
  const { adapter, port, context, prompt, resume, totals } = asked;
  const found = findProgram(adapter.programs, { env: context.env, cwd: port.cwd });
  if (!found.ok) return { kind: "failed", fault: found.error };
  const listener = listen(prompt);
  const { env, signal, heartbeat } = context;
  const { cwd, stderr, graceMs } = port;
  const surroundings = { env, cwd, signal, heartbeat, stderr, graceMs };
  const readKept = await adapter.keptSession?.(resume, surroundings);
  const since = port.time();
  const called = await callCli(asked, found.value, listener, surroundings);
  if (!called.ok) return { kind: "failed", fault: called.fault };
  hearWhole(adapter, listener, called.run.stdout);
  const trace = listener.trace();
  const sessionId = trace.sessionId ?? resume;
  // A process that was ended may not have reported its usage.
  const recorded = () => recordedUsage(adapter, { env, home: env.HOME ?? "", sessionId, since });
  const counted = trace.usage ?? recorded();
  const usage =
    adapter.usageScope === "run" ? counted : await portion({ trace, resume, context, totals, counted });
  const { model, turns } = trace;
  const kept = sessionId === null || context.signal.aborted ? null : await readKept?.(sessionId, since);
  // Whether the output of a program that keeps sessions counts a resumed one from its beginning is not documented.
  const ofRun = adapter.keptSession !== undefined && resume !== null ? null : usage;
  const known = { cwd, model, turns, usage: ofRun };
  const session = { sessionId, ...(kept ?? known), model: kept?.model ?? model };
  const { role } = context;
  return classifyRun({ adapter, run: called.run, trace, session, role, resumed: resume !== null });
}

function callCli(
  { adapter, port, context, prompt, resume }: Asked,
  command: string,
  listener: Listener,
  surroundings: Surroundings,
): ReturnType<typeof callProgram> {
  const { env: given, args } = context;
  const report = reporter({ adapter, context, now: port.now }, listener);
  const call = adapter.call({ prompt, resume, args, env: given, isRoot: port.isRoot });
  return callProgram(
    {
      command,
      args: call.args,
      stdin: call.stdin,
      onLine: (line) => {
        hearLine(adapter, listener, line);
        report();
      },
      shown: true,
      stdoutBytes: STDOUT_BYTES,
      resultSeen: lingering(listener, port),
    },
    { ...surroundings, env: { ...call.env, ...given } },
  );
}

/** Most programs clean up after their last output: only one that stays too long is ended. */
function lingering(listener: Listener, { now, lingerMs }: Port): () => boolean {
  let since: number | null = null;
  return () => {
    since = listener.isDone() ? (since ?? now()) : null;
    return since !== null && now() - since >= lingerMs;
  };
}

/** Hears the events in one line of stdout; none if it is not a JSON object. */
export function hearLine(adapter: Adapter, listener: Listener, line: string): void {
  const record = recordIn(line);
  if (record !== null) for (const event of eventsIn(adapter, record)) listener.hear(event);
}

function eventsIn({ events, otherEvents, sessionIn }: Adapter, record: JsonRecord): readonly AgentEvent[] {
  const type = text(record, "type") ?? "";
  const read = Object.hasOwn(events, type) ? events[type] : otherEvents;
  const id = sessionIn === undefined ? null : text(record, sessionIn);
  return [...session(id), ...(read?.(record) ?? [])];
}

/** The whole of stdout as one JSON object over several lines, if no single line is one. */
export function hearWhole(adapter: Adapter, listener: Listener, stdout: string): void {
  if (!listener.hasHeard()) hearLine(adapter, listener, stdout.trim());
}

// Some CLIs count over the whole session: subtract the usage of earlier processes.

type Counted = {
  readonly trace: Trace;
  /** The session that was resumed; `null`: a new one. */
  readonly resume: string | null;
  readonly context: Pick<AgentContext, "sessionUsage">;
  /** The totals that this process has seen, by session. */
  readonly totals: Map<string, Tokens>;
  readonly counted: SessionFacts["usage"];
};

/** This process's part of the session's total; `null` if the total before it is unknown. */
export async function portion({
  trace,
  resume,
  context,
  totals,
  counted,
}: Counted): Promise<SessionFacts["usage"]> {
  if (counted === null) return null;
  const before = resume === null ? NOTHING : (totals.get(resume) ?? (await totalBefore(resume, context)));
  const total = { input: counted.inputTokens, output: counted.outputTokens, costUsd: null };
  const id = trace.sessionId ?? resume;
  if (id !== null) totals.set(id, total);
  return usageBetween(before, total);
}

const NOTHING: Tokens = { input: 0, output: 0, costUsd: 0 };

/** The session's total from the thread's steps; `null` if a part is unknown. */
async function totalBefore(sessionId: string, { sessionUsage }: Counted["context"]): Promise<Tokens | null> {
  const usage = await sessionUsage(sessionId);
  return usage === null ? null : { input: usage.inputTokens, output: usage.outputTokens, costUsd: null };
}

/** The shortest time between two usage reports, in ms: each one walks the whole trace. */
const EVERY_MS = 1000;

type ListenerContext = {
  readonly adapter: Adapter;
  readonly context: Pick<AgentContext, "report" | "signal">;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
};

/**
 * Reports the usage of the running process and its model's last words from time to time, and at once on abort, since it may be killed before it
 * does so itself. Totals of a session are reported only at the end.
 */
export function reporter({ adapter, context, now }: ListenerContext, listener: Listener): () => void {
  let last = Number.NEGATIVE_INFINITY;
  const tell = (): void => {
    const { sessionId, model, usage, turns } = listener.trace();
    const words = turns.findLast(({ output }) => output.trim() !== "")?.output ?? "";
    context.report({ sessionId, model, usage: adapter.usageScope === "run" ? usage : null, words });
  };
  context.signal.addEventListener("abort", tell, { once: true });
  return () => {
    if (now() - last < EVERY_MS) return;
    last = now();
    tell();
  };
}
