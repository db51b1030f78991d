import { resolve } from "node:path";
import type { JsonObject, Store } from "@uncaged/json-cas";
import { type CasRef, err, type Fault, fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { attemptAsync, putFile, putNode, strangeWord } from "@uncaged/workflow-store";
import { createLogger } from "@uncaged/workflow-util";
import { fieldNames } from "../accept.js";
import type { Reply, SessionFacts } from "../author.js";
import { callContinue, failureLine, mergeFacts, NOTHING_KNOWN } from "../call.js";
import { putDetail, putText } from "../detail.js";
import type { Extracted, ReplyText } from "../extract.js";
import type { WithFiles } from "../files.js";
import { createJudge, type Judge, type JudgeContext } from "../judge.js";
import type { configuredExtract, ExtractSession } from "../llm/index.js";
import { loadExtract, loadLlm } from "../load.js";
import type { MakePort, Prepared, Replied } from "./run.js";

type Output = {
  readonly value: Result<JsonObject, readonly string[]>;
  /** Everything the agent replied, corrections included. */
  readonly raw: string;
  readonly session: SessionFacts;
  /** What paths in the output were replaced by; not stored yet. */
  readonly files: WithFiles["files"];
  /** What a model did to read the output out of the reply; `null`: none was asked. */
  readonly extract: ExtractSession | null;
};

/** The structured output of a reply, by whichever way it is found, and what the agent said in the process. */
export async function extractOutput(replied: Replied, makePort: MakePort): Promise<Result<Output, Fault>> {
  const { reply } = replied;
  const { session } = reply;
  const judge = await createJudge(placeOf(replied));
  if (reply.kind === "output") {
    const value = judge.accept(reply.value);
    const { text = null, known = {} } = reply.misfit ?? {};
    if (text !== null && !value.ok && judge.refusal() === null) {
      const accept = (read: JsonObject) => judge.accept({ ...read, ...known });
      return ok(await readMisfit(replied, text, value.error, makePort, { ...judge, accept }));
    }
    const raw = JSON.stringify(reply.value, null, 2) ?? "";
    return ok({ value, files: judge.files(), raw, session, extract: null });
  }
  const size = Buffer.byteLength(reply.text);
  if (size > LIMITS.reply) return err(fault("TOO_LARGE", { what: "the reply", size, limit: LIMITS.reply }));
  return ok(await extractFrom(replied, reply, makePort, judge));
}

/** The output of a program whose result did not fit, as a model reads it. Without a model that is what was wrong. */
async function readMisfit(
  replied: Replied,
  text: string,
  violations: readonly string[],
  makePort: MakePort,
  judge: Judge,
): Promise<Output> {
  const read = await askModel(replied, text, makePort, judge);
  const value = read.value.ok || read.session !== null ? read.value : err(violations);
  if (value.ok) logLayer(replied, ok({ value: value.value, by: "llm" }));
  const { session } = replied.reply;
  return { value, files: judge.files(), raw: text, session, extract: read.session };
}

/** The extract by a model. It is not trusted: what it gets is redacted like what is stored. */
async function askModel(
  { prepared: { open, metaSchema: schema, context } }: Replied,
  raw: string,
  makePort: MakePort,
  { accept, refusal }: Judge,
): ReturnType<typeof configuredExtract> {
  const refused = refusal() ?? strangeWord(open.redactor, raw);
  if (refused !== null) return { value: err([refused]), session: null };
  const llm = await loadLlm();
  const port = await makePort(context.signal);
  const { storage, ownEnv: env } = open;
  return llm.configuredExtract({ storage, env, schema, reply: open.redactor.text(raw), accept }, port);
}

function placeOf({ prepared, reply }: Replied): JudgeContext {
  const { metaSchema, types, open, context, cwd, examples } = prepared;
  const { cas: store, root: storageRoot } = open.storage;
  const working = { folder: resolve(cwd, reply.session.cwd ?? "."), storageRoot };
  const { head, redactor } = open;
  const { meta } = context.roleDefinition;
  return { metaSchema, meta, types, store, head, redactor, working, examples };
}

type TextReply = Extract<Reply, { readonly kind: "text" }>;

async function extractFrom(
  replied: Replied,
  first: TextReply,
  makePort: MakePort,
  judge: Judge,
): Promise<Output> {
  const { prepared, reply } = replied;
  const { context } = prepared;
  let { session } = reply;
  const replies = [first.raw];
  let asked: ExtractSession | null = null;
  const ask = async (message: string): Promise<Result<ReplyText, string>> => {
    const refusal = judge.refusal();
    if (refusal !== null) return err(refusal);
    prepared.meter.settle(session);
    const called = await callContinue(prepared.agent, context, session.sessionId ?? "", message);
    if (called === null) return err("it cannot go on in its session");
    session = mergeFacts(session, withTurn(called.reply.session, message, textOf(called.reply)));
    if (called.reply.kind !== "text") return err(failureLine(called.reply) ?? "it answered with no text");
    replies.push(called.reply.raw);
    return ok(called.reply);
  };
  const llm = async (raw: string): Promise<Result<JsonObject, readonly string[]>> => {
    const extract = await askModel(replied, raw, makePort, judge);
    asked = extract.session;
    return extract.value;
  };
  const { agent } = prepared;
  const canAsk = agent.continue !== null && !agent.outside && session.sessionId !== null;
  const { extract } = await loadExtract();
  const fields = fieldNames(prepared.metaSchema);
  const input = { accept: judge.accept, fields, reply: first, ask: canAsk ? ask : null, llm };
  const extracted = await extract(input);
  const refusal = judge.refusal();
  const read = extracted.ok ? ok(extracted.value.value) : extracted;
  const value = refusal === null ? read : err([refusal]);
  if (!extracted.ok || extracted.value.by !== "frontmatter") logLayer(replied, extracted);
  return { value, files: judge.files(), raw: replies.join("\n\n"), session, extract: asked };
}

/** Prompt and answer are kept even if the author reports no turns, or not what they began with. */
function withTurn(session: SessionFacts, input: string, output: string): SessionFacts {
  const [first = { input, output, toolCalls: [], tokens: null, latencyMs: null }, ...others] = session.turns;
  return { ...session, turns: [{ ...first, input: first.input === "" ? input : first.input }, ...others] };
}

function textOf(reply: Reply): string {
  return reply.kind === "text" ? reply.text : (failureLine(reply) ?? "");
}

/** A header that was not valid costs tokens or the step: how often that happens shows in the log. */
function logLayer({ prepared }: Replied, extracted: Result<Extracted, readonly string[]>): void {
  const { storage, thread } = prepared.open;
  const log = createLogger({ dir: storage.paths.logs, now: storage.now, thread });
  const by = extracted.ok ? extracted.value.by : "nothing";
  log("9V3XQ7KD", "the reply had no valid header", { agent: prepared.agent.name, role: prepared.role, by });
}

/** Stores the step, every node below it first, so that a reader of its hash finds everything it refers to. */
export function recordStep(
  { prepared, reply, asked, startedAt }: Replied,
  value: JsonObject,
  { files, raw, session, extract }: Output,
): Promise<Result<CasRef, Fault>> {
  const { open, agent, command, role } = prepared;
  const { now } = open.storage;
  const durationMs = Math.max(0, Math.round(now() - startedAt));
  const { text: clean } = open.redactor;
  const known = { agent: agent.name, role, session, prompt: asked, raw, startedAt, durationMs, extract };
  const write = async (cas: Store): Promise<CasRef> => {
    const output = await cas.put(metaOf(prepared), value);
    // A program without prompt and session has no trace: its result as a text says everything, in one node.
    const ofProgram = reply.kind === "output" && extract === null;
    const bare = ofProgram && session === NOTHING_KNOWN && known.prompt === "";
    const own = ofProgram ? reply.detail : null;
    const made = bare ? () => putText(cas, clean(raw)) : () => putDetail(cas, { ...known, clean });
    const detail = own ?? (await made());
    const prev = open.last?.hash ?? null;
    return putNode(cas, "stepNode", { start: open.start.hash, prev, role, output, detail, agent: command });
  };
  return attemptAsync(async () => {
    // Large, and each durable before the next is encoded.
    for (const file of files.values()) await putFile(open.storage.cas, file);
    return open.storage.cas.together(write);
  });
}

function metaOf({ context }: Prepared): CasRef {
  return context.roleDefinition.meta;
}

/** Keeps the reply that no step came of; `null` when even that is not possible. */
export async function storeReply({ prepared }: Replied, raw: string): Promise<CasRef | null> {
  const { storage, redactor } = prepared.open;
  const kept = await attemptAsync(() => putText(storage.cas, redactor.text(raw)));
  return kept.ok ? kept.value : null;
}

/** What uwf's log is to know of a run that failed. */
export function reportFailure(
  { meter }: Prepared,
  session: SessionFacts,
  raw: CasRef | null,
  extract: Output["extract"],
): void {
  meter.fail(session, raw, extract?.usage ?? null);
}
