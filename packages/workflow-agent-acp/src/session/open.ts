import type { Answer } from "../connection/index.js";
import { type Fields, fieldsOf, textOf } from "../wire/index.js";
import { currentModel } from "./model.js";
import { errorText, failed, failureOf, wantsLogin } from "./outcome.js";
import type { Failure, Introduced, OpenSession, Talk } from "./types.js";

/** `replays`: it was loaded, and the agent tells its history again, before its answer to session/load or after it. */
export type Opened =
  | {
      readonly ok: true;
      readonly session: OpenSession;
      readonly told: Fields;
      readonly replays: boolean;
    }
  | { readonly ok: false; readonly failure: Failure };

/** A new session, or the one to go on in. */
export function openSession(talk: Talk, introduced: Introduced, resume: string | null): Promise<Opened> {
  return resume === null ? newSession(talk, introduced) : oldSession(talk, introduced, resume);
}

async function newSession(talk: Talk, { logins }: Introduced): Promise<Opened> {
  const params = { cwd: talk.cwd, mcpServers: [] };
  const answer = await talk.connection.request("session/new", params, talk.limits.startMs);
  if (answer.kind !== "result") return { ok: false, failure: refusalOf("session/new", answer, logins) };
  const told = fieldsOf(answer.value);
  const sessionId = textOf(told.sessionId);
  if (sessionId === null || sessionId === "") {
    return { ok: false, failure: failed("answered session/new without a sessionId") };
  }
  return { ok: true, session: { sessionId, model: currentModel(told) }, told, replays: false };
}

/**
 * session/resume where the agent has it, session/load else: loading tells the whole history again. An agent that
 * refuses both does not know the session any more; one that dies or keeps silent is ill, and knows perhaps.
 */
async function oldSession(talk: Talk, introduced: Introduced, sessionId: string): Promise<Opened> {
  const methods = [
    ...(introduced.canResume ? ["session/resume"] : []),
    ...(introduced.canLoad ? ["session/load"] : []),
  ];
  let failure: Failure = failed(`cannot go on in session ${sessionId}: it loads no sessions`);
  const params = { sessionId, cwd: talk.cwd, mcpServers: [] };
  for (const method of methods) {
    const answer = await talk.connection.request(method, params, talk.limits.startMs);
    if (answer.kind === "result")
      return reopened(sessionId, fieldsOf(answer.value), method === "session/load");
    failure = refusalOf(method, answer, introduced.logins);
    if (answer.kind !== "error" || wantsLogin(answer.error)) return { ok: false, failure };
  }
  return { ok: false, failure: { ...failure, sessionLost: true } };
}

function reopened(sessionId: string, told: Fields, replays: boolean): Opened {
  return { ok: true, session: { sessionId, model: currentModel(told) }, told, replays };
}

type NoResult = Exclude<Answer, { readonly kind: "result" }>;

function refusalOf(method: string, answer: NoResult, logins: readonly string[]): Failure {
  if (answer.kind !== "error" || !wantsLogin(answer.error)) return failureOf(method, answer);
  const ways = logins.length === 0 ? "" : `; it offers: ${logins.join(", ")}`;
  return failed(`wants to be logged in first (${errorText(answer.error)}${ways})`, { reason: "auth" });
}
