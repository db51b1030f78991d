import { statSync } from "node:fs";
import { type CasNode, getSchema, type Hash, type JsonValue, suggest } from "@uncaged/json-cas";
import {
  type CasRef,
  ENV,
  err,
  exitCodeOf,
  type Fault,
  fault,
  messageOf,
  ok,
  programOf,
  type Result,
  type RoleDefinition,
  type Usage,
  type WaitingRecord,
  waitingFault,
} from "@uncaged/workflow-protocol";
import { attempt, authoredMeta, writeWaiting } from "@uncaged/workflow-store";
import { createLogger, sanitizeTerminal } from "@uncaged/workflow-util";
import type { Agent, SessionFacts } from "../author.js";
import { asSession, type Called, callContinue, callRun } from "../call.js";
import { buildContext } from "../context.js";
import { putText } from "../detail.js";
import type { Host } from "../host.js";
import { loadResume } from "../load.js";
import { addUsage, heartbeatOf, meterOf } from "../report.js";
import type { Visit } from "../resume.js";
import { hasUnlistedOrder } from "../schema.js";
import { attemptsOf, type OpenThread, openThread } from "../thread.js";
import { extractOutput, recordStep, reportFailure, storeReply } from "./output.js";
import type { MakePort, Prepared, Replied } from "./run.js";

type Request = { readonly args: readonly string[]; readonly thread: string; readonly role: string };

/** Everything that can be refused before the agent costs anything. */
export async function prepare(
  agent: Agent,
  host: Host,
  { args, thread, role }: Request,
  signal: AbortSignal,
): Promise<Result<Prepared, Fault>> {
  const opened = await openThread(host, thread, agent);
  if (!opened.ok) return opened;
  const open = opened.value;
  const definition = roleOf(open, role);
  if (!definition.ok) return definition;
  const types = onceRead(open.storage.cas);
  const schema = metaOf(open, types, definition.value);
  if (!schema.ok) return schema;
  const metaSchema = schema.value;
  const { meta } = definition.value;
  // The YAML is read only where something in it is not known otherwise.
  const written = hasUnlistedOrder(metaSchema)
    ? await authoredMeta(open.storage, open.workflow.hash, role, meta)
    : null;
  const heartbeat = heartbeatOf(open.run, host.now);
  const meter = meterOf(open.run, open.redactor, host.cwd);
  const command = commandOf(host, open, agent);
  const self = { name: agent.name, program: programOf(command) };
  const built = buildContext({
    open,
    agent: self,
    role,
    roleDefinition: definition.value,
    metaSchema,
    shownMeta: written ?? metaSchema,
    args,
    signal,
    heartbeat,
    putText: (text) => putText(open.storage.cas, open.redactor.text(text)),
    report: ({ words, ...session }) => {
      meter.tell(asSession(session), words);
      heartbeat();
    },
  });
  return ok({ agent, command, self, open, role, cwd: host.cwd, metaSchema, types, meter, ...built });
}

/** The agent's name in the step: the command that uwf was given, else the agent's own name. */
function commandOf({ env }: Host, { run, redactor }: OpenThread, { name }: Agent): string {
  const chosen = run === null ? undefined : env[ENV.agent];
  return chosen ? redactor.text(chosen) : name;
}

function roleOf({ workflow }: OpenThread, role: string): Result<RoleDefinition, Fault> {
  const { name, roles } = workflow.payload;
  const definition = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (definition !== undefined) return ok(definition);
  const names = Object.keys(roles);
  const meant = suggest(role, names);
  const hint = meant === null ? "." : `, did you mean "${meant}"?`;
  const reason = `workflow ${name} has no such role${hint} Its roles: ${names.join(", ")}`;
  return err(fault("INVALID_INPUT", { what: `role "${role}"`, reason }));
}

/** A store's nodes, each read once: for the few that are types. */
function onceRead(store: Reader): Reader {
  const read = new Map<Hash, CasNode | null>();
  return {
    get: (hash) => {
      const node = read.get(hash) ?? store.get(hash);
      read.set(hash, node);
      return node;
    },
  };
}

type Reader = Prepared["types"];

function metaOf({ head }: OpenThread, types: Reader, { meta }: RoleDefinition): Result<JsonValue, Fault> {
  const schema = attempt(() => getSchema(types, meta));
  if (!schema.ok) return schema;
  if (schema.value !== null) return ok(schema.value);
  return err(
    fault("CHAIN_DAMAGED", { head, node: meta, reason: "the role's meta is not a schema in this store" }),
  );
}

/** Runs the author's code, reads its reply and stores the step. The stack of a throwing author goes to `debug`. */
export async function makeStep(
  prepared: Prepared,
  host: Host,
  makePort: MakePort,
  debug: (stack: string) => void,
): Promise<Result<CasRef, Fault>> {
  const startedAt = readStartTime(prepared) ?? host.now();
  const { reply, stack, asked } = await firstReply(prepared, host);
  if (reply.kind === "failed") {
    if (stack !== null) debug(stack);
    reportFailure(prepared, reply.session, null, null);
    return err(concealed(prepared, reply.fault));
  }
  if (reply.kind === "waiting") {
    reportFailure(prepared, reply.session, null, null);
    return err(wait(prepared, reply.waiting));
  }
  prepared.context.heartbeat();
  const made = await finish({ prepared, reply, asked, startedAt }, makePort);
  return made.ok ? made : err(concealed(prepared, made.error));
}

/** Leaves for uwf what the agent waits for. Its exit code 9 says that this is no failure. */
function wait({ open: { run, thread, redactor }, role }: Prepared, given: WaitingRecord): Fault {
  const { question } = given;
  const waiting = { ...given, question: question === null ? null : redactor.text(question) };
  const left = run === null ? ok(undefined) : writeWaiting(run, waiting);
  return left.ok ? waitingFault(thread, { role, ...waiting }, null) : left.error;
}

/** Epoch ms when uwf started a run whose work was done outside this process; `null` if unknown. */
function readStartTime({ agent, open }: Prepared): number | null {
  const started =
    agent.outside && open.run !== null ? statSync(open.run.runFile, { throwIfNoEntry: false }) : undefined;
  return started === undefined ? null : Math.round(started.mtimeMs);
}

async function finish(replied: Replied, makePort: MakePort): Promise<Result<CasRef, Fault>> {
  const output = await extractOutput(replied, makePort);
  if (!output.ok) {
    reportFailure(replied.prepared, replied.reply.session, null, null);
    return err(unwritten(replied, output.error));
  }
  const { value, raw, session, extract } = output.value;
  const recorded = value.ok ? await recordStep(replied, value.value, output.value) : null;
  if (recorded?.ok) {
    // Before the hash is printed: uwf logs the session with the step, and only logged ones are continued.
    replied.prepared.meter.done(session);
    return recorded;
  }
  const kept = await storeReply(replied, raw);
  reportFailure(replied.prepared, session, kept, extract);
  if (recorded !== null) return err(unwritten(replied, recorded.error));
  return err(invalid(replied, value.ok ? [] : value.error, kept, extract !== null));
}

/**
 * Blames the reply, not the way the agent was called, when its output is too large or refused by the store.
 */
function unwritten({ prepared: { agent, role } }: Replied, cause: Fault): Fault {
  if (exitCodeOf(cause) !== 4) return cause;
  return fault("AGENT_BAD_RESULT", { command: agent.name, role, problem: messageOf(cause) });
}

/** A failure without keys: it may quote the reply or the author; its stderr is the end of a longer text. */
function concealed({ open: { redactor } }: Prepared, failure: Fault): Fault {
  const hasStderr = failure.code === "AGENT_FAILED" && typeof failure.stderr === "string";
  return redactor.fault(hasStderr ? { ...failure, stderr: redactor.tail(failure.stderr) } : failure);
}

function invalid(
  { prepared, reply }: Replied,
  violations: readonly string[],
  kept: CasRef | null,
  wasAsked: boolean,
): Fault {
  const { role, agent } = prepared;
  if (reply.kind === "text") {
    return fault("EXTRACT_FAILED", {
      role,
      violations,
      raw: kept ?? "nothing: the store could not be written",
    });
  }
  const listed = violations.map((line) => `\n  ${line}`).join("");
  if (reply.misfit !== null) {
    const message = `the output of ${agent.name} does not fit the meta of ${role}:${listed}`;
    const { hint } = reply.misfit;
    // Without a model the same would come out again.
    const failure = {
      command: agent.name,
      role,
      outcome: "",
      stderr: "",
      message,
      hint,
      retryable: wasAsked,
    };
    return fault("AGENT_FAILED", failure);
  }
  const problem = `its output is not valid:${listed}`;
  return fault("AGENT_BAD_RESULT", { command: agent.name, role, problem });
}

/** A session of an earlier visit that this step could not continue. */
type NotContinued = {
  readonly sessionId: string;
  readonly reason: string;
  /** What was sent into it; "" when nothing was. */
  readonly asked: string;
  /** What the attempt cost, if it is known to have cost anything. */
  readonly usage: Usage | null;
};

/** One line on stderr, and one in the log. */
function tellNotContinued({ agent, role, open }: Prepared, host: Host, failed: NotContinued): void {
  const line = `${agent.name}: ${sentence(failed)}; a new session gets the complete history`;
  host.err(`${sanitizeTerminal(line)}\n`);
  const { storage, thread, redactor } = open;
  const log = createLogger({ dir: storage.paths.logs, now: storage.now, thread });
  const { sessionId, reason } = failed;
  const facts = { agent: agent.name, role, sessionId, reason };
  log("5WD9Z1HR", "a session was not continued", redactor.value(facts));
}

/** The facts of the new session, after a turn about the old one. */
function noteOf(failed: NotContinued, session: SessionFacts): SessionFacts {
  const turn = {
    input: failed.asked,
    output: sentence(failed),
    toolCalls: [],
    tokens: null,
    latencyMs: null,
  };
  const usage = failed.usage === null ? session.usage : addUsage(failed.usage, session.usage);
  return { ...session, turns: [turn, ...session.turns], usage };
}

function sentence({ sessionId, reason }: NotContinued): string {
  return `session ${sessionId} was not continued: ${reason.split("\n", 1)[0]}`;
}

/** How the agent was called first, and with what. */
type First = Called & {
  /** The prompt as it was sent; "" when the agent never looked at it. */
  readonly asked: string;
};

/**
 * The agent's reply: in the session of a failed run of this step, or of the role's last visit, if there is one,
 * else in a new one with the complete history. Throws `FaultError` if the history is damaged or the prompt too
 * large.
 */
export async function firstReply(prepared: Prepared, host: Host): Promise<First> {
  const first = await call(prepared, host, await prepareVisit(prepared, host));
  return withSession(first, (session) => placed(session, host.cwd));
}

/** The session that this step would go on in. */
export async function prepareVisit(
  { agent, self, open, role }: Prepared,
  { env, cwd }: Host,
): Promise<Visit> {
  if (agent.continue === null || env[ENV.resume] === "off") return { kind: "none" };
  const attempts = attemptsOf(open, self, role);
  if (open.last === null && attempts.length === 0) return { kind: "none" };
  const { findVisit } = await loadResume();
  return findVisit(open, { agent: self, role, cwd, attempts });
}

function call(prepared: Prepared, host: Host, visit: Visit): Promise<First> {
  switch (visit.kind) {
    case "session":
      return goOn(prepared, host, visit);
    case "elsewhere": {
      const reason = `it belongs to the folder ${visit.cwd}, and this step works in ${host.cwd}`;
      return beginAnew(prepared, host, { sessionId: visit.sessionId, reason, asked: "", usage: null });
    }
    case "failing": {
      const { sessionId, reason } = visit;
      return beginAnew(prepared, host, { sessionId, reason, asked: "", usage: null });
    }
    default:
      return begin(prepared);
  }
}

async function begin({ agent, context, promptSeen }: Prepared): Promise<First> {
  const called = await callRun(agent, context);
  return { ...called, asked: promptSeen() };
}

async function goOn(prepared: Prepared, host: Host, { sessionId, since, attempt }: Session): Promise<First> {
  const { agent, context } = prepared;
  const asked = await promptIn(prepared, { since, attempt });
  // Whatever the outcome: it must be found when failures in this session are counted.
  prepared.meter.tell({ sessionId, cwd: null, model: null, usage: null });
  const called = await callContinue(agent, context, sessionId, asked);
  if (called === null) return begin(prepared);
  const { reply } = called;
  if (reply.kind === "failed" && reply.sessionLost && !context.signal.aborted) {
    const { usage } = reply.session;
    prepared.meter.restart(usage);
    return beginAnew(prepared, host, { sessionId, reason: messageOf(reply.fault), asked, usage });
  }
  return withSession({ ...called, asked }, (session) => ({
    ...session,
    sessionId: session.sessionId ?? sessionId,
  }));
}

type Session = Extract<Visit, { readonly kind: "session" }>;

/** What is sent into a session that goes on. */
export async function promptIn(
  { context, open }: Prepared,
  { since, attempt }: Pick<Session, "since" | "attempt">,
): Promise<string> {
  const { promptAfter, promptSince } = await loadResume();
  // It is unknown how much of its prompt has reached a failed run: a session started by one gets the complete
  // prompt.
  const prompt = since === null ? context.prompt : promptSince(open, context, since);
  return attempt === null ? prompt : promptAfter(prompt, attempt);
}

/** A new session after one that could not be continued: this is reported, and kept in the trace and the log. */
async function beginAnew(prepared: Prepared, host: Host, failed: NotContinued): Promise<First> {
  tellNotContinued(prepared, host, failed);
  return withSession(await begin(prepared), (session) => noteOf(failed, session));
}

function withSession(first: First, change: (session: SessionFacts) => SessionFacts): First {
  return { ...first, reply: { ...first.reply, session: change(first.reply.session) } };
}

/** A session without a reported folder belongs to this process's folder: it can be continued only there. */
function placed(session: SessionFacts, cwd: string): SessionFacts {
  return session.sessionId === null || session.cwd !== null ? session : { ...session, cwd };
}
