import { resolve } from "node:path";
import type { JsonObject } from "@uncaged/json-cas";
import { ENV, err, exitCodeOf, type Fault, fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { renderFault } from "../fault/index.js";
import type { Host } from "../host/index.js";
import { playAgent } from "../main/index.js";
import { type Options, readOptions } from "../options/index.js";
import { doneAgent, type Given } from "./agent.js";
import { type Facts, parseFacts } from "./facts.js";
import { WRITE_HELP, WRITE_USAGE } from "./help.js";

/** What is read beside the command line; `null`: it is more than `limit` bytes. */
export type Sources = {
  readonly stdin: (limit: number) => string | null;
  /** Throws what the system says. */
  readonly file: (path: string, limit: number) => string | null;
};

const KNOWN = { flags: ["--output"], values: ["--agent", "--session-id", "--model", "--facts"] };

const NAME = "uwf-agent-write";

/** `uwf-agent-write`: turns a finished reply into a step, as its exit code. */
export async function runWrite(host: Host, sources: Sources): Promise<number> {
  if (host.argv[0] === "--help" || host.argv[0] === "-h") {
    host.out(WRITE_HELP);
    return 0;
  }
  const read = readOptions(host.argv, KNOWN);
  const options = read.ok ? read.value : null;
  if (options === null || options.rest.length !== 2) {
    const reason = read.ok ? "a thread id and a role are needed" : read.error;
    return refuse(host, fault("USAGE", { reason, usage: WRITE_USAGE }));
  }
  const given = givenBy(host, options, sources);
  if (!given.ok) return refuse(host, given.error);
  return playAgent(doneAgent(given.value), { ...host, argv: options.rest });
}

function refuse(host: Host, cause: Fault): number {
  host.err(renderFault(cause, host.env[ENV.errorFormat] === "json"));
  return exitCodeOf(cause);
}

function givenBy(host: Host, options: Options, sources: Sources): Result<Given, Fault> {
  const facts = factsIn(host, options, sources);
  if (!facts.ok) return facts;
  const text = sources.stdin(LIMITS.reply);
  if (text === null) return err(fault("TOO_LARGE", { what: "stdin", size: null, limit: LIMITS.reply }));
  const reply = replyIn(text, options.flags.has("--output"));
  if (!reply.ok) return reply;
  return ok({ name: options.values.get("--agent") ?? NAME, reply: reply.value, facts: facts.value });
}

function replyIn(text: string, isOutput: boolean): Result<Given["reply"], Fault> {
  if (!isOutput) return ok({ kind: "text", text });
  const invalid = (reason: string): Result<never, Fault> =>
    err(fault("INVALID_INPUT", { what: "stdin", reason }));
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? ok({ kind: "output", value: value as JsonObject }) : invalid("it is no JSON object");
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
  let text: string | null;
  try {
    text = file(path, LIMITS.reply);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(fault("FILE_NOT_FOUND", { path, reason }));
  }
  if (text === null) return err(fault("TOO_LARGE", { what: path, size: null, limit: LIMITS.reply }));
  const facts = parseFacts(text);
  return facts.ok ? facts : err(fault("INVALID_INPUT", { what: path, reason: facts.error }));
}
