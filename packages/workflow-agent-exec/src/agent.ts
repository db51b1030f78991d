import { resolve } from "node:path";
import {
  type AgentContext,
  type AgentReply,
  err,
  type Fault,
  type JsonObject,
  ok,
  parseFrontmatterMarkdown,
  type Result,
  type SessionFacts,
  selectDeclared,
} from "@uncaged/workflow-agent-kit";
import { definedOnly, ENV, frontmatterSentence, parseFields } from "@uncaged/workflow-util";
import { type Port, type Ran, runCommand, TRACE_LIMIT } from "./command.js";
import { artifactsIn, asksForSteps, type Files, makeFiles, readOutput, undeclared } from "./files.js";
import { parseWords, USAGE, type Words } from "./words.js";

/** The error is a sentence. */
type Fields = Result<JsonObject, string>;

/** Set only by us: a command that could set them could report a failure as a success. */
const FACTS = ["ok", "exitCode", "durationMs"];

/** The fields that the command set in its file and, with --fields-from-stdout, in a header on stdout. */
function fieldsOf(ran: Ran, words: Words, files: Files): Fields {
  const inFiles = inFile(files);
  if (!inFiles.ok || !words.fieldsFromStdout) return inFiles;
  const header = inHeader(ran.stdout);
  return header.ok ? ok({ ...header.value, ...inFiles.value }) : header;
}

function inFile(files: Files): Fields {
  const read = readOutput(files);
  if (!read.ok) return err(`the file of ${ENV.output} ${read.error}`);
  if (read.value.trim() === "") return ok({});
  const parsed = parseFields(read.value);
  const where = `the file of ${ENV.output}`;
  if (parsed.ok) return withoutFacts(parsed.value, where);
  return err(`${where} is not a YAML map: ${parsed.error.map(frontmatterSentence).join("; ")}`);
}

function inHeader(stdout: string): Fields {
  if (!stdout.trimStart().startsWith("---\n")) return ok({});
  const parsed = parseFrontmatterMarkdown(stdout);
  return parsed.ok
    ? withoutFacts(parsed.value.data, "the header on stdout")
    : err(`the header on stdout is not valid: ${parsed.error.join("; ")}`);
}

function withoutFacts(fields: JsonObject, where: string): Fields {
  const fact = FACTS.find((name) => Object.hasOwn(fields, name));
  return fact === undefined
    ? ok(fields)
    : err(`${where} sets ${fact}, which only the command's end determines`);
}

type Around = {
  readonly context: AgentContext;
  readonly words: Words;
  readonly cwd: string;
};

/** How the command ended, and the fields that it set. The kit keeps those that the role's meta declares. */
function replyOf(ran: Ran, given: Fields, around: Around): AgentReply {
  const { context, words } = around;
  const session = traceOf(ran, around);
  const [command = ""] = words.command;
  const { role } = context;
  if (context.signal.aborted) {
    const { outcome } = ran;
    return { kind: "failed", fault: { code: "AGENT_FAILED", command, role, outcome, stderr: "" }, session };
  }
  if (!given.ok) return { kind: "failed", fault: badFields(command, role, given.error), session };
  const { exitCode, durationMs } = ran;
  const made = artifactsIn(around.cwd, words.artifacts, context.metaSchema, exitCode !== 0);
  if (!made.ok) return { kind: "failed", fault: badFields(command, role, made.error), session };
  const ended = { output: ran.tail(words.outputLimit), ok: exitCode === 0, exitCode, durationMs };
  // A role may have other names for what is known here; only what the command wrote can be misspelt.
  const { output, ...facts } = selectDeclared(context.metaSchema, ended);
  return {
    kind: "output",
    value: { ...(output === undefined ? {} : { output }), ...given.value, ...made.value, ...facts },
    session,
  };
}

function badFields(command: string, role: string, problem: string): Fault {
  const message = `${command} as ${role} set invalid fields: ${problem}`;
  const hint = "correct what the command writes; then step again";
  return {
    code: "AGENT_FAILED",
    command,
    role,
    outcome: "",
    stderr: "",
    reason: "bad-result",
    message,
    hint,
  };
}

/** One turn with one tool call: the command and its output. */
function traceOf(ran: Ran, { context, words, cwd }: Around): SessionFacts {
  const call = {
    name: "exec",
    arguments: JSON.stringify({ command: words.command, cwd }),
    result: ran.tail(TRACE_LIMIT),
    durationMs: ran.durationMs,
  };
  const turn = {
    input: context.prompt,
    output: `The command ${ran.outcome}.`,
    toolCalls: [call],
    tokens: null,
    latencyMs: ran.durationMs,
  };
  return { sessionId: null, cwd, model: null, turns: [turn], usage: null };
}

/** Runs the command; how it ended and the fields that it set are the step's output. */
export async function exec(context: AgentContext, port: Port): Promise<AgentReply> {
  const parsed = parseWords(context.args);
  if (!parsed.ok) return { kind: "failed", fault: { code: "USAGE", reason: parsed.error, usage: USAGE } };
  const words = parsed.value;
  const reason = undeclared(context.metaSchema, words.artifacts);
  if (reason !== null) return { kind: "failed", fault: { code: "USAGE", reason, usage: USAGE } };
  const cwd = resolve(port.cwd, words.cwd ?? ".");
  const withSteps = words.steps || asksForSteps(words.command, cwd);
  const files = makeFiles(context, port.temporary, withSteps);
  try {
    const called = await callOver({ context, port, files }, words, cwd);
    if (!called.ok) return { kind: "failed", fault: called.error };
    return replyOf(called.value, fieldsOf(called.value, words, files), { context, words, cwd });
  } finally {
    files.remove();
  }
}

type Call = { readonly context: AgentContext; readonly port: Port; readonly files: Files };

function callOver({ context, port, files }: Call, words: Words, cwd: string): ReturnType<typeof runCommand> {
  const { threadId, role, prompt, signal } = context;
  const own = {
    [ENV.thread]: threadId,
    [ENV.role]: role,
    ...(files.steps === null ? {} : { [ENV.stepsFile]: files.steps }),
    [ENV.output]: files.output,
  };
  const onLine = (line: string): void => {
    context.heartbeat();
    port.stderr(line);
  };
  const env = { ...definedOnly(context.env), ...own };
  return runCommand({ words, env, cwd, stdin: prompt, signal, onLine });
}
