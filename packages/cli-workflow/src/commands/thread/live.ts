import { flag, optional } from "@uncaged/command-line";
import { createRedactors } from "@uncaged/workflow-engine";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { type EndedThread, findThread, readWorkFolder, type Storage } from "@uncaged/workflow-store";
import { POLL_MS, untilSignal } from "../../follow.js";
import { type CommandContext, type CommandOutput, defineRootCommand, THREAD } from "../../line/index.js";
import {
  documentPrinter,
  eventPrinter,
  type LivePrinter,
  linePrinter,
  terminalPrinter,
  watchThreads,
} from "../../live/index.js";
import { readShortIds } from "../known-names.js";
import { text } from "../output.js";

/**
 * Follows what runs in this storage root, or one thread and those below it until it has ended: then the exit code is that of
 * `thread run`. Reads only.
 */
export const command = defineRootCommand({
  path: "thread live",
  summary: "follow what runs, or one thread with those below it until it has ended",
  arguments: { thread: optional(THREAD) },
  options: { events: flag("print the lines that `thread run --events` prints where it runs") },
  examples: [
    "uwf thread live",
    "uwf thread live latest",
    "uwf thread live 01KAJ5E8 --events | jq -c 'select(.event == \"step\")'",
    "uwf thread live 01KAJ5E8 | jq -c '[.time, .thread, .event // .outcome, .role]'",
  ],
  exits: [
    "INVALID_CONFIG",
    "FILE_NOT_FOUND",
    "INVALID_INPUT",
    "TOO_LARGE",
    "THREAD_ENDED",
    "THREAD_FAILED",
    "INTERRUPTED",
  ],
  sample: {
    line: "thread live 7W2D",
    prints: `2026-01-31T08:12:03Z  7W2D  following this thread and those below it
…
2026-01-31T08:12:45Z  7W2D  planner recorded as 968RK709D8JWK in 42 s: plan: …
…
2026-01-31T08:23:07Z  7W2D  the thread has ended`,
  },
  run: async (context, request, storage) => {
    const { host } = context;
    const named = request.thread === null ? ok(null) : await findThread(storage, request.thread, host.cwd);
    if (!named.ok) return named;
    const state = named.value;
    const redactors = await createRedactors(host, storage);
    const watch = watchThreads({
      storage,
      redactorFor: (thread) => {
        const folder = readWorkFolder(storage, thread);
        return redactors(folder.ok ? folder.value : null);
      },
      thread: state?.thread ?? null,
      warn: context.warn,
    });
    if (!watch.ok) return watch;
    const look = watch.value;
    const printer = request.events ? eventPrinter(host, storage) : await createPrinter(context, storage);
    return untilSignal<CommandOutput>(host, async (isStopped) => {
      try {
        await printer.tell({ kind: "following", state });
        while (!isStopped() && !host.stdout.isClosed()) {
          const seen = await look();
          if (!seen.ok) return seen;
          const { events, view, over } = seen.value;
          for (const event of events) await printer.tell(event);
          if (over !== null) {
            await printer.tell({ kind: "ended", state: over });
            return howItEnded(over);
          }
          printer.show(view);
          await host.sleep(POLL_MS);
        }
        return text("");
      } finally {
        printer.end();
      }
    });
  },
});

/** As `thread run` would end. */
function howItEnded({ thread, reason }: EndedThread): Result<CommandOutput, Fault> {
  if (reason === "failed") return err(fault("THREAD_FAILED", { thread }));
  return reason === "killed" ? err(fault("THREAD_ENDED", { thread, reason })) : text("");
}

async function createPrinter(
  { host, screen, format }: CommandContext,
  storage: Storage,
): Promise<LivePrinter> {
  if (screen === null) return documentPrinter(host, format ?? "json");
  const words = { screen, storage, idOf: await readShortIds(storage) };
  const isPlain = !host.stdout.isTerminal() || host.env.TERM === "dumb";
  return isPlain ? linePrinter(host, words) : terminalPrinter(host, words);
}
