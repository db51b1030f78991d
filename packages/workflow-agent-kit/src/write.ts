import { resolve } from "node:path";
import { type JsonObject, parseJson } from "@uncaged/json-cas";
import { err, type Fault, fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import type { Agent, AgentReply, SessionFacts, ToolCallFacts } from "./author.js";
import { OUTSIDE } from "./call.js";
import type { Host } from "./host.js";
import { printResult } from "./host.js";
import { playAgent } from "./main/index.js";
import { type Options, readOptions } from "./options.js";

/** What a file of facts may contain; the kit validates the values. */
type Facts = Partial<SessionFacts> & { readonly toolCalls: readonly ToolCallFacts[] | null };

const KEYS = ["sessionId", "cwd", "model", "turns", "usage", "toolCalls"];

/** `{sessionId, cwd, model, turns, usage, toolCalls}`, each of them optional, or a sentence about what is wrong. */
export function parseFacts(text: string): Result<Facts, string> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return err("it is not a JSON object");
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return err(`unknown key ${unknown}; known are ${KEYS.join(", ")}`);
  const lists = Object.entries(value).filter(([key]) => key === "turns" || key === "toolCalls");
  const wrong = lists.find(([, list]) => list !== null && !Array.isArray(list));
  if (wrong !== undefined) return err(`${wrong[0]} must be a list`);
  return ok({ toolCalls: null, ...value });
}

type Given = {
  /** What the agent calls itself. */
  readonly name: string;
  /** The reply as the author's program got it. */
  readonly reply:
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "output"; readonly value: JsonObject };
  readonly facts: Facts;
};

/** An agent whose work is already done: it returns what it was given, and cannot be asked anything more. */
function doneAgent(given: Given): Agent {
  const { name, facts } = given;
  return {
    name,
    ...OUTSIDE,
    run: (context) => handOver(given, context.prompt),
    continue: typeof facts.sessionId === "string" ? (id, message) => goOn(given, id, message) : null,
  };
}

function handOver({ reply, facts }: Given, asked: string): AgentReply {
  const { toolCalls, ...session } = facts;
  const output = reply.kind === "text" ? reply.text : "";
  const turns: SessionFacts["turns"] =
    toolCalls === null ? [] : [{ input: asked, output, toolCalls, tokens: null, latencyMs: null }];
  return { ...reply, session: { turns, ...session } };
}

/** The session of the last visit was gone on in only if the author says that it is this one. */
function goOn(given: Given, sessionId: string, message: string): AgentReply {
  if (given.facts.sessionId === sessionId) return handOver(given, message);
  const reason = `the reply comes from session ${given.facts.sessionId}`;
  return {
    kind: "failed",
    sessionLost: true,
    fault: fault("INVALID_INPUT", { what: `session ${sessionId}`, reason }),
  };
}

const WRITE_USAGE =
  "usage: uwf-agent-write [--agent <name>] [--session-id <id>] [--model <name>] [--facts <file.json>] [--output] <thread-id> <role>";

/** What `uwf-agent-write --help` prints. */
const WRITE_HELP = `uwf-agent-write --agent uwf-mine "$thread" "$role" < reply.md
echo '{"passed": true}' | uwf-agent-write --agent uwf-mine --output "$thread" "$role"

U${WRITE_USAGE.slice(1)}

For agents in any language: reads the structured output out of a reply on stdin, stores the step with its detail and
prints its hash, which the agent must print last.

Options:
  --agent <name>       the agent's own name, by which its sessions are found
  --session-id <id>    the agent's session
  --model <name>       the model that replied
  --facts <file.json>  {sessionId, cwd, model, usage: {inputTokens, outputTokens, totalTokens, costUsd},
                       toolCalls: [{name, arguments, result, durationMs}], or turns: [{input, output, toolCalls,
                       tokens: {input, output}, latencyMs}]}; omit unknown values or use null
  --output             stdin is the structured output itself, as JSON; nothing is extracted

Exit status: 0 and the hash; 6 when the output is not valid (every violation on stderr), else as uwf.
`;

/** Inputs besides the command line; `null`: the input is longer than `limit` bytes. */
export type Sources = {
  readonly stdin: (limit: number) => Uint8Array | null;
  /** Throws system errors. */
  readonly file: (path: string, limit: number) => Uint8Array | null;
};

const KNOWN = { flags: ["--output"], values: ["--agent", "--session-id", "--model", "--facts"] };

const NAME = "uwf-agent-write";

/** `uwf-agent-write`: turns a finished reply into a step, as its exit code. */
export async function runWrite(host: Host, sources: Sources): Promise<number> {
  if (host.argv[0] === "--help" || host.argv[0] === "-h") return printResult(host, ok(WRITE_HELP));
  const read = readOptions(host.argv, KNOWN);
  const options = read.ok ? read.value : null;
  if (options === null || options.rest.length !== 2) {
    const reason = read.ok ? "a thread id and a role are needed" : read.error;
    return printResult(host, err(fault("USAGE", { reason, usage: WRITE_USAGE })));
  }
  const given = givenBy(host, options, sources);
  if (!given.ok) return printResult(host, given);
  return playAgent(doneAgent(given.value), { ...host, argv: options.rest });
}

function givenBy(host: Host, options: Options, sources: Sources): Result<Given, Fault> {
  const facts = factsIn(host, options, sources);
  if (!facts.ok) return facts;
  const text = textOf("stdin", sources.stdin(LIMITS.reply));
  if (!text.ok) return text;
  const reply = replyIn(text.value, options.flags.has("--output"));
  if (!reply.ok) return reply;
  return ok({ name: options.values.get("--agent") ?? NAME, reply: reply.value, facts: facts.value });
}

/** Bytes that are not UTF-8 would be replaced: the reply would say something else. */
function textOf(what: string, bytes: Uint8Array | null): Result<string, Fault> {
  if (bytes === null) return err(fault("TOO_LARGE", { what, size: null, limit: LIMITS.reply }));
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    const [first, second] = bytes;
    const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    const reason = isWide ? "it is UTF-16, not UTF-8" : "it is not UTF-8";
    return err(fault("INVALID_INPUT", { what, reason, hint: "write it as UTF-8" }));
  }
}

function replyIn(text: string, isOutput: boolean): Result<Given["reply"], Fault> {
  if (!isOutput) return ok({ kind: "text", text });
  const invalid = (reason: string): Result<never, Fault> =>
    err(fault("INVALID_INPUT", { what: "stdin", reason }));
  try {
    const value = parseJson(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? ok({ kind: "output", value: value as JsonObject }) : invalid("it is not a JSON object");
  } catch (error) {
    return invalid(error instanceof Error ? error.message : String(error));
  }
}

function factsIn(host: Host, { values }: Options, sources: Sources): Result<Facts, Fault> {
  const path = values.get("--facts");
  const facts = path === undefined ? ok({ toolCalls: null }) : factsFile(resolve(host.cwd, path), sources);
  if (!facts.ok) return facts;
  const sessionId = values.get("--session-id");
  const model = values.get("--model");
  return ok({
    ...facts.value,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(model === undefined ? {} : { model }),
  });
}

function factsFile(path: string, { file }: Sources): Result<Facts, Fault> {
  let bytes: Uint8Array | null;
  try {
    bytes = file(path, LIMITS.reply);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(fault("FILE_NOT_FOUND", { path, reason }));
  }
  const text = textOf(path, bytes);
  if (!text.ok) return text;
  const facts = parseFacts(text.value);
  return facts.ok ? facts : err(fault("INVALID_INPUT", { what: path, reason: facts.error }));
}
