import { type CommandContext, type CommandResult, parseSince } from "@uncaged/cli-workflow/add-on";
import { ok } from "@uncaged/workflow-protocol";
import { inScratch, withRemote } from "../work/index.js";
import type { Run } from "./run.js";

type RemoteLogRequest = {
  readonly thread: string | null;
  readonly since: string | null;
  readonly limit: number | null;
};

/** Newest entries of a remote's log that are read if no number is given: it may be larger than memory. */
const MOST_LINES = 1000;

/** The log of a remote, or of one of its threads. */
export function logOnRemote(context: CommandContext, request: RemoteLogRequest, run: Run): CommandResult {
  const { host } = context;
  const since = request.since === null ? ok(null) : parseSince(request.since, host.now());
  if (!since.ok) return Promise.resolve(since);
  const limit = request.limit ?? MOST_LINES;
  return withRemote(host, async (remote) => {
    const found = request.thread === null ? ok(null) : await remote.find(request.thread);
    if (!found.ok) return found;
    const threads = found.value === null ? null : [found.value.thread];
    const events = await remote.events({ threads, since: since.value, limit });
    if (!events.ok) return events;
    return inScratch(host, events.value, (storage) =>
      run(
        { ...context, openStorage: () => ok(storage) },
        { thread: null, since: null, follow: false, limit },
      ),
    );
  });
}
