import type { AgentContext } from "@uncaged/workflow-agent-kit";
import type { Entry, Scenario } from "../scenario/index.js";

const NAMED = /\{\{([^{}]+)\}\}/g;

/** The entry as it is played: `{{name}}` of a text is the hash of its node, and the text is stored. */
export async function withHashes(
  entry: Entry,
  texts: Scenario["texts"],
  { putText }: Pick<AgentContext, "putText">,
): Promise<Entry> {
  const replies = [entry.reply ?? "", ...entry.corrections];
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
    corrections: entry.corrections.map(filled),
  };
}
