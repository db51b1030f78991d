import { type Fault, ok, programOf, type Result } from "@uncaged/workflow-protocol";
import type { Agent, AgentReply } from "./author/index.js";
import { FaultError } from "./fault.js";
import type { Host } from "./host.js";
import { loadResume } from "./load.js";
import { type Prepared, prepare, prepareVisit, promptIn } from "./main/index.js";

/** What the kit needs of the process that asks. */
export type PromptHost = Pick<Host, "env" | "cwd" | "home" | "now">;

type Asked = {
  readonly thread: string;
  readonly role: string;
  /** The agent's command; `null`: unknown, so no session of it can be found. */
  readonly command: string | null;
  /** Whether the agent may go on in a session. */
  readonly resume: boolean;
};

export type NextPrompt = {
  readonly prompt: string;
  /** The session that it would be sent into, if the agent can continue one; `null`: a new one. */
  readonly sessionId: string | null;
};

/**
 * What an agent of the kit would be asked if it played the role now, to the byte. Runs nothing and writes nothing; `cwd` is
 * the folder where it would work. Faults: those that the agent itself would have before it begins.
 */
export async function nextPrompt(place: PromptHost, asked: Asked): Promise<Result<NextPrompt, Fault>> {
  const host: Host = {
    ...place,
    argv: [],
    setEnv: () => {},
    conceal: () => {},
    out: () => {},
    err: () => {},
    onInterrupt: () => {},
    graceMs: 0,
  };
  try {
    const { thread, role, command, resume } = asked;
    const request = { args: [], thread, role };
    const agent = unheard(resume && command !== null);
    const prepared = await prepare(agent, host, request, new AbortController().signal);
    if (!prepared.ok) return prepared;
    return ok(await promptFor(prepared.value, host, command ?? ""));
  } catch (error) {
    if (error instanceof FaultError) return { ok: false, error: error.fault };
    throw error;
  }
}

async function promptFor(prepared: Prepared, host: Host, command: string): Promise<NextPrompt> {
  const self = await selfOf(prepared, programOf(command));
  const visit = await prepareVisit({ ...prepared, self }, host);
  if (visit.kind !== "session") return { prompt: prepared.context.prompt, sessionId: null };
  return { prompt: await promptIn(prepared, visit), sessionId: visit.sessionId };
}

/** Finds the name that the program gives itself, from its newest session of the role. */
async function selfOf({ open, role }: Prepared, program: string): Promise<Prepared["self"]> {
  const { sessionAt, stepsOfThread } = await loadResume();
  for (const step of stepsOfThread(open)) {
    if (step.payload.role !== role || programOf(step.payload.agent) !== program) continue;
    return { name: sessionAt(open, step)?.agent ?? program, program };
  }
  return { name: program, program };
}

/** An agent that is never called. */
function unheard(continues: boolean): Agent {
  const reply = (): AgentReply => ({ kind: "text", text: "" });
  return {
    name: "uwf",
    version: null,
    help: null,
    outside: true,
    dotEnv: "all",
    keyVariables: [],
    run: reply,
    continue: continues ? reply : null,
  };
}
