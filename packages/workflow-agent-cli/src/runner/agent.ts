import type { AgentContext, AgentDefinition, AgentReply, SessionFacts } from "@uncaged/workflow-agent-kit";
import type { Adapter } from "../adapters/index.js";
import type { Trace } from "../events.js";
import { callProgram, findProgram, type Surroundings } from "../program.js";
import { type Listener, listen } from "../trace.js";
import { hearLine, hearWhole, portion, reporter, type Total } from "./hear.js";
import { classifyRun, recordedUsage } from "./judge.js";

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
  const totals = new Map<string, Total>();
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
  readonly totals: Map<string, Total>;
};

async function askCli(asked: Asked): Promise<AgentReply> {
  const { adapter, port, context, prompt, resume, totals } = asked;
  const found = findProgram(adapter.programs, { env: context.env, cwd: port.cwd });
  if (!found.ok) return { kind: "failed", fault: found.error };
  const listener = listen(prompt);
  const surroundings = surroundingsOf(context, port);
  const readKept = await adapter.keptSession?.(resume, surroundings);
  const since = port.time();
  const called = await callCli(asked, found.value, listener, surroundings);
  if (!called.ok) return { kind: "failed", fault: called.fault };
  hearWhole(adapter, listener, called.run.stdout);
  const trace = listener.trace();
  const counted = trace.usage ?? unsaid(adapter, { trace, resume, context, since });
  const usage =
    adapter.usageScope === "run" ? counted : await portion({ trace, resume, context, totals, counted });
  const sessionId = trace.sessionId ?? resume;
  const { model, turns } = trace;
  const kept = sessionId === null || context.signal.aborted ? null : await readKept?.(sessionId, since);
  // Whether the output of a program that keeps sessions counts a resumed one from its beginning is not documented.
  const ofRun = adapter.keptSession !== undefined && resume !== null ? null : usage;
  const known = { cwd: port.cwd, model, turns, usage: ofRun };
  const session = { sessionId, ...(kept ?? known), model: kept?.model ?? model };
  return classifyRun({
    adapter,
    run: called.run,
    trace,
    session,
    role: context.role,
    resumed: resume !== null,
  });
}

type Unsaid = { readonly trace: Trace; readonly since: number } & Pick<Asked, "resume" | "context">;

/** The usage of a process that was ended before it reported it. */
function unsaid(adapter: Adapter, { trace, resume, context: { env }, since }: Unsaid): SessionFacts["usage"] {
  const sessionId = trace.sessionId ?? resume;
  if (sessionId === null) return null;
  return recordedUsage(adapter, { env, home: env.HOME ?? "", sessionId, since });
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
      timeoutMs: null,
      stdoutBytes: STDOUT_BYTES,
      resultSeen: lingering(listener, port),
    },
    { ...surroundings, env: { ...call.env, ...given } },
  );
}

function surroundingsOf(
  { env, signal, heartbeat }: AgentContext,
  { cwd, stderr, graceMs }: Port,
): Surroundings {
  return { env, cwd, signal, heartbeat, stderr, graceMs };
}

/** Most programs clean up after their last output: only one that stays too long is ended. */
function lingering(listener: Listener, { now, lingerMs }: Port): () => boolean {
  let since: number | null = null;
  return () => {
    since = listener.isDone() ? (since ?? now()) : null;
    return since !== null && now() - since >= lingerMs;
  };
}
