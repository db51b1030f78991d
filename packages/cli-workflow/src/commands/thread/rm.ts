import { some } from "@uncaged/command-line";
import {
  type Fault,
  ok,
  type RemovedThread,
  type Result,
  type ThreadRmItem,
} from "@uncaged/workflow-protocol";
import {
  checkTrust,
  descendantsOf,
  findThread,
  LATEST,
  readFamily,
  removeThreads,
  type Storage,
} from "@uncaged/workflow-store";
import { type CommandContext, defineRootCommand, ENDED_THREAD, ROOT_FAULTS } from "../../line/index.js";
import { lines, nextCommand, type Screen } from "../../screen/index.js";
import { document, misused } from "../output.js";
import { belowWords, eventLog } from "./change.js";

/** Removes ended threads, each with those below it, or none. Their nodes stay until the next gc. */
export const command = defineRootCommand({
  path: "thread rm",
  summary: "remove ended threads, with those below them, from every list",
  arguments: { thread: some(ENDED_THREAD) },
  examples: ["uwf thread rm 01KAJ5E8", "uwf thread rm 01KAJ5E8 01KAJ5F2 && uwf cas gc --yes"],
  exits: [...ROOT_FAULTS, "NOT_REMOVABLE", "THREAD_BUSY", "LOCK_BUSY"],
  sample: {
    line: "thread rm 01KAJ5G7T4M2R8E6SXKN1BPHVB",
    prints: `removed thread 01KAJ5G7T4M2R8E6SXKN1BPHVB; its head was 92KNPZ65RTG3P
next: uwf cas gc`,
  },
  run: async (context, { thread: threads }, storage) => {
    const trusted = checkTrust(storage, context.host.env);
    if (!trusted.ok) return trusted;
    const named: Named[] = [];
    for (const text of threads) {
      const found = await findEvenRemoved(context, storage, text);
      if (!found.ok) return found;
      named.push(found.value);
    }
    const removed = await removeThreads(
      storage,
      named.map(({ thread }) => thread),
    );
    if (!removed.ok) return removed;
    for (const { thread, head } of removed.value) {
      eventLog(context, storage, thread)("R4TQ9XK2", "the thread was removed", "removed", { head });
    }
    const family = readFamily(storage);
    if (!family.ok) return family;
    const gone = new Set(removed.value.map(({ thread }) => thread));
    const items = named.map(({ thread, head }): ThreadRmItem => {
      const children = descendantsOf(family.value, thread).filter((child) => gone.has(child));
      return { thread, head, removed: true, children };
    });
    return document(items.length === 1 ? items[0] : items, (screen) => wordsOn(screen, items));
  },
});

type Named = Pick<RemovedThread, "thread" | "head">;

/**
 * One that was removed before is no mistake: who repeats the command wants it gone. `latest` would be another thread each
 * time, and is not taken.
 */
async function findEvenRemoved(
  { warn }: CommandContext,
  storage: Storage,
  text: string,
): Promise<Result<Named, Fault>> {
  if (text === LATEST) {
    const reason = "rm takes no `latest`: repeated, it would be another thread each time";
    return misused(reason, "name the threads by their ids: `uwf thread list --all`");
  }
  const found = await findThread(storage, text, null, "end");
  if (found.ok) return ok({ thread: found.value.thread, head: found.value.head });
  if (found.error.code !== "THREAD_NOT_FOUND" || found.error.removed === undefined) return found;
  warn(`thread ${found.error.removed.thread} was removed before`);
  return ok(found.error.removed);
}

function wordsOn(screen: Screen, items: readonly ThreadRmItem[]): string {
  const sentences = items.map(
    ({ thread, head, children }) => `removed thread ${thread}${belowWords(children)}; its head was ${head}`,
  );
  return lines(screen, sentences) + nextCommand(screen, "uwf cas gc");
}
