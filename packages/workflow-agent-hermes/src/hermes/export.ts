import type { Surroundings } from "@uncaged/workflow-agent-cli";
import { addTotals, type HermesSession, parseSession, type Totals } from "../session/index.js";
import { callHermes } from "./call.js";

const TIMEOUT_MS = 60_000;

/** More splits of one run than this are not followed. */
const MOST_PARENTS = 8;

/** The session as hermes keeps it; `null` when it cannot be had, and stdout has to do. */
export async function exportSession(id: string, surroundings: Surroundings): Promise<HermesSession | null> {
  const args = ["sessions", "export", "-", "--session-id", id];
  const call = { args, stdin: null, shown: false, timeoutMs: TIMEOUT_MS, onLine: null };
  const exported = await callHermes(call, surroundings);
  if (!exported.ok || exported.run.code !== 0) return null;
  return parseSession(exported.run.stdout);
}

export type WholeRun = {
  readonly session: HermesSession;
  /** Over the session and those that compression split off before it. */
  readonly totals: Totals | null;
  readonly messages: HermesSession["messages"];
};

/** Compression goes on in a new session whose parent is the old one: those that began with this run belong to it. */
export async function exportRun(
  id: string,
  startedAt: number,
  surroundings: Surroundings,
): Promise<WholeRun | null> {
  const session = await exportSession(id, surroundings);
  if (session === null) return null;
  let { totals, messages } = session;
  let parent = session.parent;
  for (let hop = 0; parent !== null && hop < MOST_PARENTS; hop += 1) {
    const earlier = await exportSession(parent, surroundings);
    if (earlier === null || (earlier.startedAt ?? 0) < startedAt) break;
    totals = addTotals(earlier.totals, totals);
    messages = [...earlier.messages, ...messages];
    parent = earlier.parent;
  }
  return { session, totals, messages };
}
