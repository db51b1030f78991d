import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { type EndedThread, findThread, readFolder, type Storage } from "@uncaged/workflow-store";
import { POLL_MS, untilSignal } from "../../follow.js";
import type { CommandContext, CommandOutput, CommandResult } from "../../line/index.js";
import {
  documentPrinter,
  type LivePrinter,
  linePrinter,
  terminalPrinter,
  watchThreads,
} from "../../live/index.js";
import { redactorsOf } from "../../redactor.js";
import { readShortIds } from "../known-ids.js";
import { text } from "../output.js";

/**
 * Follows what runs in this storage root, or one thread and those below it until it has ended: then the exit code is that of
 * `thread run`. Reads only.
 */
export async function threadLive(
  context: CommandContext,
  request: { readonly thread: string | null },
): CommandResult {
  const { host } = context;
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const named = await followed(storage.value, request.thread, host.cwd);
  if (!named.ok) return named;
  const state = named.value;
  const redactors = await redactorsOf(host, storage.value);
  const watch = watchThreads({
    storage: storage.value,
    redactorFor: (thread) => {
      const folder = readFolder(storage.value, thread);
      return redactors(folder.ok ? folder.value : null);
    },
    thread: state?.thread ?? null,
    warn: context.warn,
  });
  if (!watch.ok) return watch;
  const look = watch.value;
  const printer = await printerOf(context, storage.value);
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
}

async function followed(storage: Storage, thread: string | null, cwd: string) {
  return thread === null ? ok(null) : findThread(storage, thread, cwd);
}

/** As `thread run` would end. */
function howItEnded({ thread, reason }: EndedThread): Result<CommandOutput, Fault> {
  if (reason === "failed") return err(fault("THREAD_FAILED", { thread }));
  return reason === "killed" ? err(fault("THREAD_ENDED", { thread, reason })) : text("");
}

async function printerOf({ host, screen, format }: CommandContext, storage: Storage): Promise<LivePrinter> {
  if (screen === null) return documentPrinter(host, format ?? "json");
  const words = { screen, storage, idOf: await readShortIds(storage) };
  const isPlain = !host.stdout.isTerminal() || host.env.TERM === "dumb";
  return isPlain ? linePrinter(host, words) : terminalPrinter(host, words);
}
