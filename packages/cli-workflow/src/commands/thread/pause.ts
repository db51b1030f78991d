import { argument, option, text } from "@uncaged/command-line";
import { threadView } from "@uncaged/workflow-engine";
import {
  err,
  type Fault,
  fault,
  ok,
  type PauseOutput,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  isOnRemote,
  pauseThread,
  readHead,
  readThreadRecord,
  resumeThread,
  type Storage,
} from "@uncaged/workflow-store";
import {
  type CommandContext,
  type CommandResult,
  defineRootCommand,
  ROOT_FAULTS,
  THREAD,
} from "../../line/index.js";
import { counted, lines, nextCommand } from "../../screen/index.js";
import { readShortIds } from "../known-names.js";
import { document } from "../output.js";
import { changeBelow, eventLog, findTrusted } from "./change.js";

export const command = defineRootCommand({
  path: "thread pause",
  summary: "let no further run start; the running step finishes and counts",
  arguments: { thread: argument(THREAD) },
  options: { message: option(text("why"), "the reason, shown with the thread", { short: "-m" }) },
  examples: ['uwf thread pause 01KAJ5E8 -m "wait for the release"', "uwf thread pause 01KAJ5E8 --remote"],
  exits: [...ROOT_FAULTS, "THREAD_ENDED", "THREAD_ON_REMOTE", "LOCK_BUSY"],
  sample: {
    line: "thread pause W8YB",
    prints: `thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB is paused
next: uwf thread resume W8YB`,
  },
  onRemote: {},
  run: async (context, { thread, message }, storage) =>
    changePause(context, storage, thread, { paused: true, why: message }),
});

type Change = { readonly paused: boolean; readonly why: string | null };

/** Pauses a thread with those below it, or lets them go on. */
export async function changePause(
  context: CommandContext,
  storage: Storage,
  text: string,
  change: Change,
): CommandResult {
  const { paused } = change;
  const found = await findTrusted(context, storage, text, "change");
  if (!found.ok) return found;
  const { thread } = found.value;
  // Going on here as well, it would run its agents twice.
  if (isOnRemote(storage, thread)) return err(fault("THREAD_ON_REMOTE", { thread, head: found.value.head }));
  const wasPaused = isPaused(storage, thread);
  const own = await changeOne(context, storage, thread, change);
  if (!own.ok) return own;
  let changed = 0;
  const children = await changeBelow(storage, thread, async (child) => {
    const isOther = isPaused(storage, child) !== paused;
    const one = await changeOne(context, storage, child, change);
    if (one.ok && isOther) changed += 1;
    return one;
  });
  if (!children.ok) return children;
  const view = await threadView(storage, found.value);
  const running = view.ok ? view.value.run.running : null;
  const output: PauseOutput = { thread, paused, children: children.value, running };
  return document(output, async (screen) => {
    const idOf = await readShortIds(storage);
    const run = running === null ? "" : `: ${running.role}, which runs now, finishes and counts`;
    const was = paused ? `is paused${run}` : wasPaused ? "goes on" : "was not paused";
    const below = `${counted(changed, "thread")} below it ${paused ? "paused" : "resumed"}`;
    return (
      lines(screen, [`thread ${thread} ${was}`, changed === 0 ? null : below]) +
      (view.ok ? nextCommand(screen, view.value.command(idOf)) : "")
    );
  });
}

/** One whose file cannot be read is held back, too. */
function isPaused(storage: Storage, thread: ThreadId): boolean {
  const pause = readThreadRecord(storage, thread, "pause");
  return !pause.ok || pause.value !== null;
}

async function changeOne(
  context: CommandContext,
  storage: Storage,
  thread: ThreadId,
  { paused, why }: Change,
): Promise<Result<void, Fault>> {
  const changed = paused ? await pauseThread(storage, thread, why) : await resumeThread(storage, thread);
  if (!changed.ok) return changed;
  const log = eventLog(context, storage, thread);
  const head = await readHead(storage, thread);
  const at = { head: head.ok ? head.value : null };
  if (paused) log("N6TE2W9K", "the thread was paused", "paused", { ...at, why });
  else log("R1HV7C4M", "the thread was resumed", "resumed", at);
  return ok(undefined);
}
