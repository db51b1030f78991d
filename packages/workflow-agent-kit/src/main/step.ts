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
  type WaitingRecord,
  waitingFault,
} from "@uncaged/workflow-protocol";
import { attempt, authoredMeta, writeWaiting } from "@uncaged/workflow-store";
import type { Agent } from "../author.js";
import { asSession } from "../call.js";
import { buildContext } from "../context.js";
import { putText } from "../detail.js";
import type { Host } from "../host.js";
import { heartbeatOf, meterOf } from "../report.js";
import { hasUnlistedOrder } from "../schema.js";
import { type OpenThread, openThread } from "../thread.js";
import { firstReply } from "./first-reply.js";
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
