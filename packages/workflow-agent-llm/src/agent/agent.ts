import {
  type AgentContext,
  type AgentDefinition,
  type AgentReply,
  type Continue,
  type FailedReply,
  type JsonObject,
  sessionTurns,
  type Why,
} from "@uncaged/workflow-agent-kit";
import type { Kind } from "../options/index.js";
import { messagesOf } from "../talk/index.js";
import { converse } from "./converse.js";
import { prepare } from "./prepare.js";
import { isTooLong } from "./room.js";
import { systemMessages } from "./system.js";
import type { Ended, Port, Talk, Work } from "./types.js";

export type LlmAgent = { readonly run: AgentDefinition["run"]; readonly continue: Continue };

type Conversation = readonly JsonObject[];

/**
 * The two functions of `uwf-llm` and `uwf-react`. The API remembers nothing: a session of this process is remembered
 * here, an older one is read from the steps of the thread.
 */
export function llmAgent(kind: Kind, port: Port): LlmAgent {
  const remembered = new Map<string, Conversation>();
  const speak = async (
    context: AgentContext,
    sessionId: string,
    before: Conversation,
    message: string,
  ): Promise<AgentReply> => {
    const prepared = await prepare(kind, context, port);
    if (!prepared.ok) return { kind: "failed", fault: prepared.fault };
    const { work } = prepared;
    context.report({ model: work.model.name });
    const talk: Talk = { messages: [...systemMessages(work), ...before], turns: [], usage: null };
    const ended = await converse(work, talk, message);
    remembered.set(
      sessionId,
      talk.messages.filter(({ role }) => role !== "system"),
    );
    return replyOf(ended, { context, work, talk, sessionId, resumed: before.length > 0 });
  };
  return {
    run: (context) => speak(context, port.newId(), [], context.prompt),
    continue: async (sessionId, message, context) => {
      const before = remembered.get(sessionId) ?? replayed(context, sessionId);
      if (before !== null) return speak(context, sessionId, before, message);
      return lost(kind, context, "no step of this thread knows its session");
    },
  };
}

function replayed(context: AgentContext, sessionId: string): Conversation | null {
  const turns = sessionTurns(context, sessionId);
  return turns === null || turns.length === 0 ? null : messagesOf(turns);
}

function lost(kind: Kind, { role }: AgentContext, outcome: string): FailedReply {
  return {
    kind: "failed",
    sessionLost: true,
    fault: { code: "AGENT_FAILED", command: `uwf-${kind}`, role, outcome, stderr: "" },
  };
}

type Spoken = {
  readonly context: AgentContext;
  readonly work: Work;
  readonly talk: Talk;
  readonly sessionId: string;
  readonly resumed: boolean;
};

function whyOf({ why }: Failed, { keyName }: Work["model"]): Why {
  if (why.reason !== "auth" || keyName === null) return why;
  return {
    ...why,
    hint: `correct ${keyName} in the file .env of the storage root; then step again`,
  };
}

type Failed = Extract<Ended, { readonly kind: "failed" }>;

function replyOf(ended: Ended, { context, work, talk, sessionId, resumed }: Spoken): AgentReply {
  const { kind, model, port, options, shop } = work;
  const session = { sessionId, cwd: port.cwd, model: model.name, turns: talk.turns, usage: talk.usage };
  if (ended.kind === "said") return { kind: "text", text: ended.text, session };
  const late = shop.signal.aborted && !context.signal.aborted;
  const reason = late ? `it ran longer than ${(options.timeoutMs ?? 0) / 1000} s (--timeout)` : ended.reason;
  const outcome = `failed (${model.name}: ${reason})`;
  const fault = {
    code: "AGENT_FAILED",
    command: `uwf-${kind}`,
    role: context.role,
    outcome,
    stderr: "",
    ...(late ? { reason: "timeout" as const } : whyOf(ended, model)),
  } as const;
  // What was said in all these visits may be more than the model can read; the prompt alone may be not.
  return {
    kind: "failed",
    fault,
    // The API has forgotten a session that no step keeps.
    session: resumed ? session : { ...session, sessionId: null },
    sessionLost: resumed && talk.turns.length === 0 && isTooLong(ended),
  };
}
