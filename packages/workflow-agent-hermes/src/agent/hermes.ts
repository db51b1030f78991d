import type { AgentContext, AgentDefinition, AgentReply, SessionFacts } from "@uncaged/workflow-agent-kit";
import { chat, exportRun, type HermesRun, type Surroundings, type WholeRun } from "../hermes/index.js";
import { errorMark, failureLine, reachedLimit, sessionIdIn, textIn } from "../output/index.js";
import { finalText, NOTHING_USED, type Totals, turnsOf, usageBetween } from "../session/index.js";
import type { Port } from "./types.js";

/** Where a session stood when we last looked: what a resume adds is counted from here. */
type Mark = { readonly totals: Totals | null; readonly lastMessage: number };

const FRESH: Mark = { totals: NOTHING_USED, lastMessage: -1 };

/** The two functions of the agent; sessions are remembered between them. */
export function hermesAgent(port: Port): Required<Pick<AgentDefinition, "run" | "continue">> {
  const marks = new Map<string, Mark>();
  return {
    run: (context) => ask(context, port, marks, { prompt: context.prompt, resume: null }),
    continue: (resume, prompt, context) => ask(context, port, marks, { prompt, resume }),
  };
}

type Question = { readonly prompt: string; readonly resume: string | null };

async function ask(
  context: AgentContext,
  port: Port,
  marks: Map<string, Mark>,
  { prompt, resume }: Question,
): Promise<AgentReply> {
  const surroundings = surroundingsOf(context, port);
  const startedAt = port.now();
  const called = await chat({ prompt, args: context.args, resume }, surroundings);
  if (!called.ok) return { kind: "failed", fault: called.fault };
  const { run } = called;
  const id = sessionIdIn(run.stdout, run.stderr);
  const whole =
    id === null || context.signal.aborted ? null : await exportRun(id, startedAt - SLACK_MS, surroundings);
  const before = resume === null ? FRESH : (marks.get(resume) ?? null);
  if (id !== null && whole !== null) marks.set(id, markOf(whole));
  const facts = { ...factsOf(whole, before, id), cwd: whole?.session.cwd ?? port.cwd };
  return judge(run, context.role, whole, facts, port);
}

/** Hermes's clock is ours, but it rounds. */
const SLACK_MS = 1000;

function surroundingsOf({ env, signal, heartbeat }: AgentContext, { cwd, stderr }: Port): Surroundings {
  return { env, cwd, signal, heartbeat, stderr };
}

function markOf({ totals, messages }: WholeRun): Mark {
  return { totals, lastMessage: Math.max(-1, ...messages.map(({ id }) => id)) };
}

function factsOf(whole: WholeRun | null, before: Mark | null, sessionId: string | null): SessionFacts {
  const added = whole?.messages.filter(({ id }) => id > (before?.lastMessage ?? -1)) ?? [];
  return {
    sessionId,
    cwd: null,
    model: whole?.session.model ?? null,
    turns: turnsOf(added),
    usage: usageBetween(before?.totals ?? null, whole?.totals ?? null),
  };
}

/** Success is exit 0 and a final text and no mark of an error: each alone has been seen to lie. */
function judge(
  run: HermesRun,
  role: string,
  whole: WholeRun | null,
  session: SessionFacts,
  port: Port,
): AgentReply {
  const mark = errorMark(run.stdout, run.stderr);
  const text = (whole === null ? null : finalText(whole.messages)) ?? textIn(run.stdout);
  if (run.code === 0 && mark === null && text.trim() !== "") {
    if (reachedLimit(run.stdout, run.stderr))
      port.stderr("uwf-hermes: hermes reached its limit of iterations");
    return { kind: "text", text, session };
  }
  const told = failureLine(run.stdout, run.stderr);
  const ended = run.code === 0 ? (mark === null ? "gave no answer" : "reported an error") : run.outcome;
  const outcome = told === "" ? ended : `${ended} (${told})`;
  return {
    kind: "failed",
    fault: { code: "AGENT_FAILED", command: "hermes", role, outcome, stderr: run.stderr.slice(-2000) },
    session,
  };
}
