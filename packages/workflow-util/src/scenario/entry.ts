import type { Entry, Scenario } from "./parse.js";

type Choice =
  | { readonly ok: true; readonly entry: Entry }
  /** A sentence. */
  | { readonly ok: false; readonly reason: string };

/** Where a thread stands: the role that is to be played, and the steps before. */
type Visit = { readonly role: string; readonly steps: readonly { readonly role: string }[] };

/** The entry for this visit, if the scenario has one and expects the role now. */
export function chooseEntry(scenario: Scenario, { role, steps }: Visit): Choice {
  const surprise = unexpected(scenario.expect, role, steps.length);
  if (surprise !== null) return { ok: false, reason: surprise };
  const entries = scenario.roles.get(role) ?? [];
  const entry = entries[entryIndex(entries, { role, steps })];
  if (entry !== undefined) return { ok: true, entry };
  const known = [...scenario.roles.keys()].join(", ");
  return { ok: false, reason: `it has no role ${role}; its roles are ${known}` };
}

/** The n-th visit plays the n-th entry, the last one repeats. */
export function entryIndex(entries: readonly Entry[], { role, steps }: Visit): number {
  const visits = steps.filter((step) => step.role === role).length;
  return Math.min(visits, entries.length - 1);
}

function unexpected(expect: readonly string[] | null, role: string, position: number): string | null {
  if (expect === null || expect[position] === role) return null;
  const expected = expect[position];
  const wanted =
    expected === undefined ? `no step after step ${expect.length}` : `${expected} as step ${position + 1}`;
  return `it expects ${wanted}, but the role of step ${position + 1} is ${role}`;
}

const NAMED = /\{\{([^{}]+)\}\}/g;

/** Stores the texts that an entry names and replaces `{{name}}` by their hashes. */
export async function withHashes(
  entry: Entry,
  texts: Scenario["texts"],
  putText: (text: string) => Promise<string>,
): Promise<Entry> {
  const replies = [entry.reply ?? "", ...entry.continue];
  const named = new Set(replies.flatMap((reply) => [...reply.matchAll(NAMED)].map(([, name = ""]) => name)));
  const hashes = new Map<string, string>();
  for (const name of named) {
    const text = texts.get(name);
    if (text !== undefined) hashes.set(name, await putText(text));
  }
  const filled = (reply: string): string =>
    reply.replace(NAMED, (whole, name: string) => hashes.get(name) ?? whole);
  return {
    ...entry,
    reply: entry.reply === null ? null : filled(entry.reply),
    continue: entry.continue.map(filled),
  };
}
