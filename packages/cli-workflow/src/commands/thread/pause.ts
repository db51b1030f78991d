import {
  type Fault,
  ok,
  type PauseOutput,
  type Result,
  type ThreadId,
  wayOn,
} from "@uncaged/workflow-protocol";
import {
  checkTrust,
  descendantsOf,
  findHeld,
  findThreadToChange,
  pauseThread,
  readFamily,
  readHead,
  readPause,
  resumeThread,
  type Storage,
} from "@uncaged/workflow-store";
import { createLogger } from "@uncaged/workflow-util";
import { counted, lines, nextCommand, withShortIds } from "../../human/index.js";
import { readShortIds } from "../../known-ids.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

export function threadPause(
  context: CommandContext,
  { thread, why }: { readonly thread: string; readonly why: string | null },
): CommandResult {
  return change(context, thread, { paused: true, why });
}

export function threadResume(
  context: CommandContext,
  { thread }: { readonly thread: string },
): CommandResult {
  return change(context, thread, { paused: false, why: null });
}

type Change = { readonly paused: boolean; readonly why: string | null };

async function change(context: CommandContext, text: string, { paused, why }: Change): CommandResult {
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  const trusted = checkTrust(storage, context.host.env);
  if (!trusted.ok) return trusted;
  const found = await findThreadToChange(storage, text, context.host.cwd);
  if (!found.ok) return found;
  const { thread } = found.value;
  const before = readPause(storage, thread);
  // One that cannot be read holds it back, too.
  const wasPaused = !before.ok || before.value !== null;
  const own = await changeOne(context, storage, thread, { paused, why });
  if (!own.ok) return own;
  const family = readFamily(storage);
  if (!family.ok) return family;
  const children: ThreadId[] = [];
  for (const child of descendantsOf(family.value, thread)) {
    const one = await changeOne(context, storage, child, { paused, why });
    if (one.ok) children.push(child);
    else if (one.error.code !== "THREAD_ENDED" && one.error.code !== "THREAD_NOT_FOUND") return one;
  }
  const output: PauseOutput = { thread, paused, children };
  return document(output, async (screen) => {
    const idOf = await readShortIds(storage);
    const below = children.length === 0 ? "" : `, with ${counted(children.length, "thread")} below it`;
    const was = paused ? "is paused" : wasPaused ? "goes on" : "was not paused";
    return (
      lines(screen, [`thread ${thread} ${was}${below}`]) +
      nextCommand(screen, await wayOnFrom(storage, thread, idOf))
    );
  });
}

/** What to type now. */
async function wayOnFrom(storage: Storage, thread: ThreadId, idOf: (id: string) => string): Promise<string> {
  const head = await readHead(storage, thread);
  const held = head.ok && head.value !== null ? await findHeld(storage, { thread, head: head.value }) : null;
  const way = held?.ok && held.value !== null ? wayOn(withShortIds(held.value, idOf), idOf(thread)) : null;
  return way ?? `uwf thread run ${idOf(thread)}`;
}

async function changeOne(
  { host }: CommandContext,
  storage: Storage,
  thread: ThreadId,
  { paused, why }: Change,
): Promise<Result<void, Fault>> {
  const changed = paused ? await pauseThread(storage, thread, why) : await resumeThread(storage, thread);
  if (!changed.ok) return changed;
  const log = createLogger({ dir: storage.paths.logs, now: host.now, thread });
  const head = await readHead(storage, thread);
  const at = { head: head.ok ? head.value : null };
  if (paused) log("N6TE2W9K", "the thread was paused", { event: "paused", ...at, why });
  else log("R1HV7C4M", "the thread was resumed", { event: "resumed", ...at });
  return ok(undefined);
}
