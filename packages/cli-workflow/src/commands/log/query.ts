import { type Fault, messageOf, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { findThread, type LogQuery, type Storage } from "@uncaged/workflow-store";
import { parseThreadId } from "@uncaged/workflow-util";
import { parseSince } from "../../since/index.js";
import type { CommandContext } from "../types.js";

type Asked = { readonly thread: string | null; readonly since: string | null };

export async function queryOf(
  context: CommandContext,
  storage: Storage,
  asked: Asked,
): Promise<Result<LogQuery, Fault>> {
  const since = asked.since === null ? ok(null) : parseSince(asked.since, context.host.now());
  if (!since.ok) return since;
  if (asked.thread === null) return ok({ since: since.value, thread: null });
  const thread = await threadOf(context, storage, asked.thread);
  return thread.ok ? ok({ since: since.value, thread: thread.value }) : thread;
}

/** The log is looked at when something is wrong: a whole id does where the index of threads is damaged. */
async function threadOf(
  context: CommandContext,
  storage: Storage,
  text: string,
): Promise<Result<ThreadId, Fault>> {
  const found = await findThread(storage, text);
  if (found.ok) return ok(found.value.thread);
  const whole = parseThreadId(text);
  if (!whole.ok || found.error.code === "THREAD_NOT_FOUND") return found;
  context.warn(messageOf(found.error));
  return whole;
}
