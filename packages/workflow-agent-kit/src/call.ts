import { isAbsolute } from "node:path";
import { isHash, isObject, type JsonObject } from "@uncaged/json-cas";
import {
  err,
  FAULTS,
  type Fault,
  fault,
  isSessionId,
  messageOf,
  ok,
  type Result,
  type Usage,
} from "@uncaged/workflow-protocol";
import { asWaiting } from "@uncaged/workflow-store";
import type {
  Agent,
  AgentContext,
  AgentDefinition,
  Misfit,
  Reply,
  SessionFacts,
  ToolCallFacts,
  TurnFacts,
} from "./author.js";
import { FaultError } from "./fault.js";
import { addUsage } from "./report.js";

// Validation: what an author's code returns gets its type here, whatever its types promise.

type Fields = Readonly<Record<string, unknown>>;

/** The author's definition, or a sentence about what is wrong with it. */
export function asAgent(definition: AgentDefinition): Result<Agent, string> {
  const given: unknown = definition;
  if (!isObject(given)) return err("createAgent takes an object { name, run }");
  const { name, run, version, help } = given;
  if (typeof name !== "string" || name.trim() === "")
    return err('createAgent needs a name, as in "uwf-mine"');
  if (typeof run !== "function") return err(`createAgent needs run, a function; it got ${nameOf(run)}`);
  const resume = given.continue ?? null;
  if (resume !== null && typeof resume !== "function") {
    return err(`continue must be a function; createAgent got ${nameOf(resume)}`);
  }
  return ok({
    name,
    version: typeof version === "string" ? version : null,
    help: typeof help === "string" ? help : null,
    outside: false,
    dotEnv: given.dotEnv === "listed" ? "listed" : "all",
    keyVariables: Array.isArray(given.keyVariables) ? given.keyVariables.map(String) : [],
    run: run as Agent["run"],
    continue: resume as Agent["continue"],
  });
}

/** What an agent has to say of itself whose work this process does not do. */
export const OUTSIDE = { version: null, help: null, outside: true, dotEnv: "all", keyVariables: [] } as const;

/** What `run` or `continue` returned, or a sentence about what is wrong with it. */
function asReply(returned: unknown, from: string): Result<Reply, string> {
  if (!isObject(returned)) return err(`${from} returned ${nameOf(returned)}; ${WANTED}`);
  const session = asSession(returned.session);
  switch (returned.kind) {
    case "text":
      if (typeof returned.text === "string") {
        const isExact = returned.isExact !== false || !returned.text.includes("\ufffd");
        const raw = text(returned.raw) ?? returned.text;
        return ok({ kind: "text", text: returned.text, raw, isExact, session });
      }
      return err(`${from} returned a text reply whose text is ${nameOf(returned.text)}; ${WANTED}`);
    case "output":
      if (isObject(returned.value)) {
        const detail = isHash(returned.detail) ? returned.detail : null;
        const misfit = asMisfit(returned.misfit);
        return ok({ kind: "output", value: returned.value as JsonObject, detail, misfit, session });
      }
      return err(`${from} returned an output whose value is ${nameOf(returned.value)}, not an object`);
    case "failed":
      if (isFault(returned.fault)) {
        const sessionLost = returned.sessionLost === true;
        return ok({ kind: "failed", fault: returned.fault, sessionLost, session });
      }
      return err(`${from} returned a failure without a fault; throw an Error instead`);
    case "waiting": {
      const { question = null, threads = [], until = null } = returned;
      const waiting = asWaiting({ for: returned.for, question, threads, until });
      if (waiting !== null) return ok({ kind: "waiting", waiting, session });
      return err(
        `${from} returned a wait that does not say what for: answer, threads (which ones) or change`,
      );
    }
    default:
      return err(`${from} returned an object of kind ${nameOf(returned.kind)}; ${WANTED}`);
  }
}

function asMisfit(given: unknown): Misfit | null {
  if (!isObject(given)) return null;
  const hint = text(given.hint);
  const known = isObject(given.known) ? (given.known as JsonObject) : {};
  return hint === null ? null : { text: text(given.text), hint, known };
}

const WANTED = 'it must return { kind: "text", text } or { kind: "output", value }';

export const NOTHING_KNOWN: SessionFacts = {
  sessionId: null,
  cwd: null,
  model: null,
  turns: [],
  usage: null,
};

/** What an author reports about a session, in part or completely. */
export function asSession(session: unknown): SessionFacts {
  if (!isObject(session)) return NOTHING_KNOWN;
  return {
    sessionId: isSessionId(session.sessionId) ? session.sessionId : null,
    cwd: absolute(session.cwd),
    model: text(session.model),
    turns: list(session.turns).map(asTurn),
    usage: asUsage(session.usage),
  };
}

/** A relative path means another folder to every process. */
function absolute(path: unknown): string | null {
  return typeof path === "string" && isAbsolute(path) ? path : null;
}

function asTurn(turn: Fields): TurnFacts {
  const tokens = isObject(turn.tokens) ? turn.tokens : {};
  const input = count(tokens.input);
  const output = count(tokens.output);
  return {
    input: text(turn.input) ?? "",
    output: text(turn.output) ?? "",
    toolCalls: list(turn.toolCalls).map(asToolCall),
    tokens: input === null || output === null ? null : { input, output },
    latencyMs: count(turn.latencyMs),
  };
}

function asToolCall(call: Fields): ToolCallFacts {
  return {
    name: text(call.name) ?? "",
    arguments: text(call.arguments) ?? "",
    result: text(call.result) ?? "",
    durationMs: count(call.durationMs),
  };
}

function asUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const inputTokens = count(usage.inputTokens);
  const outputTokens = count(usage.outputTokens);
  if (inputTokens === null || outputTokens === null) return null;
  const { costUsd } = usage;
  return {
    inputTokens,
    outputTokens,
    totalTokens: count(usage.totalTokens) ?? inputTokens + outputTokens,
    costUsd: typeof costUsd === "number" && Number.isFinite(costUsd) && costUsd >= 0 ? costUsd : null,
  };
}

function isFault(value: unknown): value is Fault {
  return isObject(value) && typeof value.code === "string" && Object.hasOwn(FAULTS, value.code);
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A count, rounded; anything else is unknown. */
function count(value: unknown): number | null {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return null;
  return Math.min(Math.round(value), Number.MAX_SAFE_INTEGER);
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}

/** How a call into the author's code ended; the stack is for UWF_DEBUG=1. */
export type Called = { readonly reply: Reply; readonly stack: string | null };

export async function callRun(agent: Agent, context: AgentContext): Promise<Called> {
  return call(agent, context, "run", () => agent.run(context));
}

/** `null`: the author gave no `continue`. */
export async function callContinue(
  agent: Agent,
  context: AgentContext,
  sessionId: string,
  message: string,
): Promise<Called | null> {
  const resume = agent.continue;
  if (resume === null) return null;
  return call(agent, context, "continue", () => resume(sessionId, message, context));
}

async function call(
  agent: Agent,
  context: AgentContext,
  from: "run" | "continue",
  work: () => unknown,
): Promise<Called> {
  const { name: command } = agent;
  const { role } = context;
  try {
    const reply = asReply(await work(), from);
    if (reply.ok) return { reply: reply.value, stack: null };
    return failed(fault("AGENT_BAD_RESULT", { command, role, problem: reply.error }), null);
  } catch (error) {
    if (error instanceof FaultError) return failed(error.fault, null);
    const outcome = `threw "${sentenceOf(error)}" in ${from}`;
    return failed(fault("AGENT_FAILED", { command, role, outcome, stderr: "" }), stackOf(error));
  }
}

function failed(cause: Fault, stack: string | null): Called {
  return { reply: { kind: "failed", fault: cause, sessionLost: false, session: NOTHING_KNOWN }, stack };
}

/** Puts into words what the author's code has thrown, be it an error or any other value. */
function sentenceOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === "string" ? error : `a value of type ${typeof error}`;
}

function stackOf(error: unknown): string | null {
  return error instanceof Error ? (error.stack ?? null) : null;
}

/** A reply's failure in one line, `null` if it is not one. */
export function failureLine(reply: Reply): string | null {
  return reply.kind === "failed" ? messageOf(reply.fault) : null;
}

/** The facts of a session and of its continuation as one: turns follow each other, usage adds up. */
export function mergeFacts(first: SessionFacts, next: SessionFacts): SessionFacts {
  return {
    sessionId: next.sessionId ?? first.sessionId,
    cwd: next.cwd ?? first.cwd,
    model: next.model ?? first.model,
    turns: [...first.turns, ...next.turns],
    usage: addUsage(first.usage, next.usage),
  };
}
