import { nextPrompt } from "@uncaged/workflow-agent-kit";
import { childPrompt, parse, planNext } from "@uncaged/workflow-engine";
import type { Decision } from "@uncaged/workflow-moderator";
import {
  commandLine,
  ENV,
  type Fault,
  ok,
  type Result,
  type ThreadId,
  type WorkflowPlayer,
} from "@uncaged/workflow-protocol";
import {
  type OpenHistory,
  readChain,
  readContext,
  readWorkFolder,
  type Storage,
} from "@uncaged/workflow-store";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import type { CommandContext, CommandResult } from "../../line/index.js";
import { document, invalid, text } from "../output.js";

type NextPromptRequest = {
  /** As typed: a command, or `<role>=<command>`. */
  readonly agent: readonly string[];
  /** Whether a session that the agent could continue is left aside. */
  readonly fresh: boolean;
};

/** A role, and what its player is asked to do. */
type Asked = {
  readonly role: string;
  /** The agent's command; `null`: none is configured. */
  readonly agent: string | null;
  readonly sessionId: string | null;
  readonly prompt: string;
};

/** What the agent of the next step will be asked, to the byte. Runs nothing and writes nothing. */
export async function printPrompt(
  context: CommandContext,
  decided: Omit<NextRun, "role"> & { readonly decision: Decision },
  request: NextPromptRequest,
): CommandResult {
  const { decision, thread } = decided;
  if (decision.kind === "end") return noAgentNext(thread, "its next step ends it, and runs no agent");
  const asked = await buildPrompt(context, { ...decided, role: decision.role }, request);
  if (!asked.ok) return asked;
  const { format, screen, tell } = context;
  if (format !== null) return document({ thread, ...asked.value });
  const { prompt, sessionId } = asked.value;
  if (sessionId !== null)
    tell(`this goes into session ${sessionId}; with --fresh: what a new session is asked`);
  const line = prompt.endsWith("\n") ? prompt : `${prompt}\n`;
  return text(screen === null ? line : sanitizeTerminal(line));
}

function noAgentNext(thread: ThreadId, reason: string): Result<never, Fault> {
  return invalid(
    `the prompt of thread ${thread}`,
    reason,
    `\`uwf thread next ${thread}\` shows what comes next`,
  );
}

type NextRun = {
  readonly storage: Storage;
  readonly thread: ThreadId;
  readonly chain: OpenHistory;
  readonly role: string;
};

/** Of who would play the role, by the rules of a step. */
async function buildPrompt(
  context: CommandContext,
  place: NextRun,
  { agent: agents, fresh }: NextPromptRequest,
): Promise<Result<Asked, Fault>> {
  const { storage, thread, chain, role } = place;
  const { host } = context;
  const folder = readWorkFolder(storage, thread);
  if (!folder.ok) return folder;
  const cwd = folder.value ?? host.cwd;
  const raw = { thread, agents, cwd: null, expect: null, waitMs: 0, retries: null, until: null };
  const request = parse(raw, host);
  if (!request.ok) return request;
  const workflow = chain.workflow.payload;
  const planned = await planNext({ ...context, storage }, { role, workflow, cwd }, request.value);
  if (!planned.ok && planned.error.code !== "NO_AGENT") return planned;
  const { agent, human } = planned.ok ? planned.value : { agent: null, human: null };
  if (human !== null)
    return noAgentNext(
      thread,
      `a person plays ${role}: \`uwf thread answer ${thread} --show\` prints the question`,
    );
  const player = workflow.roles[role]?.agent ?? null;
  if (agent?.program === CHILDREN && player !== null && "workflow" in player)
    return promptOfChildren(context, place, player.workflow);
  const command = agent === null ? null : commandLine([agent.program, ...agent.args]);
  const resume = agent?.resume === true && !fresh;
  const env = { ...host.env, [ENV.storageRoot]: storage.root, ...NOT_IN_A_RUN };
  const there = { env, cwd, home: host.env.HOME ?? null, now: host.now };
  const next = await nextPrompt(there, { thread, role, command, resume });
  return next.ok ? ok({ role, agent: command, ...next.value }) : next;
}

/** The caller may be an agent: its own run is not the one that it asks about. */
const NOT_IN_A_RUN = {
  [ENV.head]: undefined,
  [ENV.run]: undefined,
  [ENV.agent]: undefined,
  [ENV.resume]: undefined,
};

/** The agent that plays a role by child threads. */
const CHILDREN = "uwf-workflow";

/** The task of a child; one of several also gets its item. */
function promptOfChildren(
  { tell }: CommandContext,
  { storage, thread, chain, role }: NextRun,
  player: WorkflowPlayer,
): Result<Asked, Fault> {
  const whole = readChain(storage.cas, chain.head);
  if (!whole.ok) return whole;
  const context = readContext(storage.cas, whole.value);
  if (!context.ok) return context;
  const definition = chain.workflow.payload.roles[role];
  if (definition === undefined) throw new Error(`the moderator chose the unknown role ${role}`);
  if (player.each !== null) tell(`a child for each item of ${player.each}: each is also told its item`);
  const parent = { ...context.value, threadId: thread, roleDefinition: definition };
  const prompt = childPrompt(parent, player.prompt, null);
  return ok({ role, agent: CHILDREN, sessionId: null, prompt });
}
