import { realpathSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { isObject, type JsonValue } from "@uncaged/json-cas";
import { type CasRef, programOf, type RoleDefinition, type Usage } from "@uncaged/workflow-protocol";
import {
  expandDetail,
  openStorage,
  type ReportedSession,
  readChainNode,
  readFailedRuns,
  readNode,
  readReportedSessions,
  readSession,
  type SessionSummary,
  type StepNode,
} from "@uncaged/workflow-store";
import { isInherited, timeOfThreadId } from "@uncaged/workflow-util";
import type { AgentContext, TurnFacts } from "./author.js";
import { asSession } from "./call.js";
import { buildResumePrompt, renderAttempt, withinLimit } from "./prompt/index.js";
import { addUsage, NO_USAGE } from "./report.js";
import type { FailedSession, OpenThread, Self } from "./thread.js";
import { nodesBackwards, notesFor, promptSteps, type Tip } from "./thread.js";

/**
 * How many steps back a session is searched for. A prompt shows about as many in outline: after more of them, a
 * new session with the history knows as much. It limits what a first visit late in a long thread reads.
 */
const FARTHEST = 256;

/**
 * The newest steps, newest first, that were taken in this thread. Steps inherited by a fork are older than the
 * fork: their sessions belong to the other thread, which continues them.
 */
export function* stepsOfThread(
  open: Tip & Pick<OpenThread, "thread"> & { readonly start: Pick<OpenThread["start"], "timestamp"> },
): Generator<StepNode> {
  const created = timeOfThreadId(open.thread);
  let count = 0;
  for (const step of nodesBackwards(open)) {
    if (count === FARTHEST || isInherited(step.timestamp, { created, start: open.start.timestamp })) return;
    count += 1;
    yield step;
  }
}

type Acting = {
  readonly role: string;
  readonly roleDefinition: RoleDefinition;
  readonly outputFormatInstruction: string;
};

/** What a session is sent on a later visit; `since` newest first. Throws `FaultError`: damage, or TOO_LARGE. */
export function promptSince(open: OpenThread, acting: Acting, since: readonly StepNode[]): string {
  const prompt = buildResumePrompt({
    thread: open.thread,
    workflow: open.workflow.payload.name,
    role: acting.role,
    definition: acting.roleDefinition,
    outputFormatInstruction: acting.outputFormatInstruction,
    task: open.start.payload.prompt,
    notes: notesFor(open),
    steps: promptSteps(open, since),
    historyBudget: null,
  });
  return withinLimit(prompt);
}

/**
 * The prompt of a step whose last run has failed in the session that it is sent to. Throws `FaultError` TOO_LARGE.
 */
export function promptAfter(prompt: string, attempt: FailedSession): string {
  return withinLimit(`${prompt}\n${renderAttempt(attempt)}\n`);
}

/** Whose session is searched for, and where it would be continued. */
type Visitor = {
  readonly agent: Self;
  readonly role: string;
  /** The working folder of this step. */
  readonly cwd: string;
  /** The runs of this very step that have failed so far, oldest first. */
  readonly attempts: readonly FailedSession[];
};

/** Which session a step continues: that of the last failed run of the step, else that of the role's last visit. */
export type Visit =
  | { readonly kind: "none" }
  /** A session that belongs to another working folder. */
  | { readonly kind: "elsewhere"; readonly sessionId: string; readonly cwd: string }
  /** A session in which a further run of this step would fail like those before. */
  | { readonly kind: "failing"; readonly sessionId: string; readonly reason: string }
  | {
      readonly kind: "session";
      readonly sessionId: string;
      /** The steps after the visit, newest first; `null` if the session was started for this step. */
      readonly since: readonly StepNode[] | null;
      /** The run of this step that went on in it last, and failed. */
      readonly attempt: FailedSession | null;
    };

const NONE: Visit = { kind: "none" };

/**
 * The session that this step can continue: the work of a failed run must not be paid for twice. Throws
 * `FaultError` if the history is damaged.
 */
export function findVisit(open: OpenThread, visitor: Visitor): Visit {
  const { attempts } = visitor;
  const visit = lastVisit(open, visitor);
  const attempt = attempts.at(-1) ?? null;
  if (attempt === null) return visit;
  const found =
    visit.kind !== "none" && visit.sessionId === attempt.sessionId ? visit : begunBy(attempt, visitor, visit);
  if (found.kind !== "session" || found.sessionId !== attempt.sessionId) return found;
  const reason = whyFailing(attempts, attempt);
  return reason === null ? { ...found, attempt } : { kind: "failing", sessionId: found.sessionId, reason };
}

/** A session that no step records. Without a folder it might be one of another. */
function begunBy({ sessionId, cwd }: FailedSession, { cwd: here }: Visitor, visit: Visit): Visit {
  if (cwd === null) return visit;
  return isSameFolder(cwd, here)
    ? { kind: "session", sessionId, since: null, attempt: null }
    : { kind: "elsewhere", sessionId, cwd };
}

/** The most runs of one step that may fail in a session: it may be what fails (damaged, on a wrong track). */
const MOST_FAILURES = 2;

/** An interrupted run is not a failure of the session. */
function whyFailing(attempts: readonly FailedSession[], { sessionId, reason }: FailedSession): string | null {
  if (reason === "context-overflow") return "it has grown too long for its model";
  const inSession = attempts.filter((run) => run.sessionId === sessionId && run.code !== "INTERRUPTED");
  return inSession.length < MOST_FAILURES ? null : `${inSession.length} runs of this step have failed in it`;
}

/**
 * The newest step of this role by this agent decides; a step of the role by another agent is one of those that have
 * happened since.
 */
function lastVisit(open: OpenThread, { agent, role, cwd }: Visitor): Visit {
  const since: StepNode[] = [];
  for (const step of stepsOfThread(open)) {
    const isOwn = step.payload.role === role && ownSession(open, step, agent) !== null;
    if (isOwn) return visitOf(reportedSession(open, step, agent), since, cwd);
    since.push(step);
  }
  return NONE;
}

/**
 * The session of a step that this agent took; `null`: another one did. Steps without uwf, or by an older one, have
 * the agent's name in place of its command. A program like `node` or `npx` runs many agents: the agent's name in
 * the session distinguishes them.
 */
function ownSession(
  tip: Pick<Tip, "storage">,
  step: StepNode,
  { name, program }: Self,
): { readonly session: SessionSummary | null } | null {
  const { agent } = step.payload;
  if (agent !== name && programOf(agent) !== program) return null;
  const session = sessionAt(tip, step);
  return session === null || session.agent === name ? { session } : null;
}

/** A detail that cannot be read leaves no session: the step can begin a new one. */
export function sessionAt({ storage }: Pick<Tip, "storage">, { payload }: StepNode): SessionSummary | null {
  const session = readSession(storage.cas, payload.detail);
  return session.ok ? session.value : null;
}

/**
 * The session that a run of this root reported for the step. What the step's own nodes say does not count: they may be
 * a stranger's.
 */
function reportedSession(
  { storage, thread }: OpenThread,
  { hash, timestamp, payload }: StepNode,
  { name, program }: Self,
): ReportedSession | null {
  const session = readReportedSessions(storage, { thread, since: timestamp }).get(hash) ?? null;
  return isReportedBy(session, { agent: { name, program }, role: payload.role }) ? session : null;
}

function isReportedBy(
  session: ReportedSession | null,
  { agent: { name, program }, role }: Pick<Visitor, "agent" | "role">,
): session is ReportedSession {
  return session?.role === role && [name, program].includes(basename(session.agent));
}

function visitOf(session: ReportedSession | null, since: readonly StepNode[], here: string): Visit {
  if (session === null) return NONE;
  const { sessionId, cwd } = session;
  return isSameFolder(cwd, here)
    ? { kind: "session", sessionId, since, attempt: null }
    : { kind: "elsewhere", sessionId, cwd };
}

/** Agents report their folder as they were given it, which may be through a link. */
function isSameFolder(one: string, other: string): boolean {
  if (!isAbsolute(one)) return false;
  return one === other || realPath(one) === realPath(other);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

type Owner = Pick<Visitor, "agent" | "role"> & { readonly sessionId: string };

/**
 * What a session has used before this step, according to the steps of the thread that runs of this root reported for it, and,
 * for failed runs of the session, its log. Of a step that only its nodes tell of, as an import brings them, nothing counts: a
 * stranger would decide what the session's next step is charged. `null`: neither knows it, a step does not record it, or there
 * may be more than are searched.
 */
export function sessionUsage(open: OpenThread, owner: Owner): Usage | null {
  const visits = visitsOf(open, owner);
  if (visits === null) return null;
  const failed = failedUsages(open, owner, visits.since);
  if (visits.usages.length === 0 && failed === null) return null;
  return [...visits.usages, ...(failed ?? [])].reduce(addUsage, NO_USAGE);
}

type Reported = {
  readonly usages: readonly (Usage | null)[];
  /** Epoch ms of the oldest of these steps; without any, when the thread began. */
  readonly since: number;
};

function visitsOf(open: OpenThread, { agent, role, sessionId }: Owner): Reported | null {
  const { storage, thread } = open;
  const began = timeOfThreadId(thread);
  const steps = [...stepsOfThread(open)];
  if (steps.length === FARTHEST) return null;
  const own = steps.flatMap((step) => {
    const taken = step.payload.role === role ? ownSession(open, step, agent) : null;
    return taken === null ? [] : [{ ...step, usage: taken.session?.usage ?? null }];
  });
  const reported = readReportedSessions(storage, { thread, since: own.at(-1)?.timestamp ?? began });
  const visits = own.filter(({ hash }) => {
    const session = reported.get(hash) ?? null;
    return isReportedBy(session, { agent, role }) && session.sessionId === sessionId;
  });
  return { usages: visits.map(({ usage }) => usage), since: visits.at(-1)?.timestamp ?? began };
}

/**
 * A failed run without usage is left out: what it used is part of the session's next total. `null`: none is known.
 */
function failedUsages(
  { storage, thread }: OpenThread,
  { sessionId }: Owner,
  since: number,
): readonly Usage[] | null {
  const failed = readFailedRuns(storage, { thread, since });
  const ofSession = failed.ok ? failed.value.filter((run) => run.sessionId === sessionId) : [];
  if (ofSession.length === 0) return null;
  return ofSession.flatMap(({ usage }) => usage ?? []);
}

/**
 * What was said in a session of this role, according to the details of the steps for which runs of this root reported
 * it, oldest first: an agent of a stateless API has no other memory. `null` if no such step knows the session, if its nodes cannot be read any
 * more, or if it may be longer than the part that is searched.
 */
export function sessionTurns(context: SessionOwner, sessionId: string): readonly TurnFacts[] | null {
  const details = detailsOf(context, sessionId);
  if (details === null || details.length === 0) return null;
  const turns: TurnFacts[] = [];
  for (const detail of details.toReversed()) {
    let isWhole = true;
    const expanded = expandDetail(context.store, detail, () => {
      isWhole = false;
    });
    if (!expanded.ok || !isWhole) return null;
    turns.push(...turnsIn(expanded.value).filter(wasSaid));
  }
  return turns;
}

type SessionOwner = Pick<AgentContext, "store" | "storageRoot" | "head" | "threadId" | "role">;

/** The details of the session's steps, newest first. */
function detailsOf(
  { store, storageRoot, head, threadId, role }: SessionOwner,
  sessionId: string,
): readonly CasRef[] | null {
  const newest = readChainNode(store, head);
  const last = newest.ok && newest.value.kind === "step" ? newest.value : null;
  const start = last === null ? null : readNode(store, "startNode", last.payload.start);
  const timestamp = start?.ok === true ? start.value.timestamp : 0;
  const tip = { storage: { cas: store }, head, last, thread: threadId, start: { timestamp } };
  const steps: readonly StepNode[] = [...stepsOfThread(tip)];
  if (steps.length === FARTHEST) return null;
  const storage = openStorage(storageRoot, { now: () => 0 });
  const reported = readReportedSessions(storage, { thread: threadId, since: timeOfThreadId(threadId) });
  return steps
    .filter(({ hash, payload }) => payload.role === role && reported.get(hash)?.sessionId === sessionId)
    .map(({ payload }) => payload.detail);
}

/** `false` for the turn in which the kit notes why a session was not continued: no model said that. */
function wasSaid({ output, toolCalls, tokens, latencyMs }: TurnFacts): boolean {
  const note = /^session \S+ was not continued: /.test(output);
  return !note || toolCalls.length > 0 || tokens !== null || latencyMs !== null;
}

/** The turns of an expanded session, each text node in them as its text: then they are what an agent reports. */
function turnsIn(session: JsonValue): readonly TurnFacts[] {
  const flat: unknown = JSON.parse(JSON.stringify(session), (_, value) => textIn(value) ?? value);
  return asSession(flat).turns;
}

function textIn(value: unknown): string | null {
  return isObject(value) && typeof value.text === "string" && Object.keys(value).length === 1
    ? value.text
    : null;
}
