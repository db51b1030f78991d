import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host } from "@uncaged/cli-workflow/add-on";
import { ENV, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt, copyLog, linkChildren, openStorage, type Storage } from "@uncaged/workflow-store";
import { openRemote } from "../remote.js";
import type { LogLine, Remote, RemoteThread } from "../types.js";
import { asChildLine, fetchNodes, placeFetched } from "./exchange.js";
import { logLinesOf } from "./log-lines.js";

type Work<T> = (storage: Storage, thread: RemoteThread) => Promise<Result<T, Fault>>;

/**
 * Runs a command that reads on a thread of the remote: in a storage root that has this thread, those below it and their log
 * only, and that is removed afterwards, so that the person's own has no copy.
 */
export function onRemoteThread<T>(
  host: Pick<Host, "env" | "now">,
  text: string,
  work: Work<T>,
): Promise<Result<T, Fault>> {
  return withRemote(host, async (remote) => {
    const there = await remote.find(text);
    if (!there.ok) return there;
    const { thread } = there.value;
    const family = await remote.family(thread);
    if (!family.ok) return family;
    const threads = [there.value, ...family.value.below];
    const ids = threads.map((each) => each.thread);
    const events = await remote.events({ threads: ids, since: null, limit: null });
    if (!events.ok) return events;
    return inScratch(host, events.value, async (storage) => {
      const copied = await copy(storage, remote, threads);
      return copied.ok ? work(storage, there.value) : copied;
    });
  });
}

async function copy(
  storage: Storage,
  remote: Remote,
  threads: readonly RemoteThread[],
): Promise<Result<void, Fault>> {
  const linked = await linkChildren(
    storage,
    threads.flatMap(({ thread, place }) => (place === null ? [] : [asChildLine({ thread, place })])),
  );
  if (!linked.ok) return linked;
  for (const thread of threads) {
    const nodes = await fetchNodes({ storage, remote }, thread);
    if (!nodes.ok) return nodes;
    const placed = await placeFetched(storage, thread, null);
    if (!placed.ok) return placed;
  }
  return ok(undefined);
}

/** Runs `work` in a storage root that has these lines as its log and nothing else. */
export async function inScratch<T>(
  { now }: Pick<Host, "now">,
  events: readonly LogLine[],
  work: (storage: Storage) => Promise<Result<T, Fault>>,
): Promise<Result<T, Fault>> {
  const made = attempt(() => mkdtempSync(join(tmpdir(), "uwf-remote-")));
  if (!made.ok) return made;
  try {
    const storage = openStorage(made.value, { now });
    const copied = copyLog(storage, logLinesOf(events));
    return copied.ok ? await work(storage) : copied;
  } finally {
    rmSync(made.value, { recursive: true, force: true });
  }
}

/**
 * Runs `work` with the remote that the environment names, and closes it. Its tables have this program's version, unless
 * `isNew` says that they may not be there yet.
 */
export async function withRemote<T>(
  { env }: Pick<Host, "env">,
  work: (remote: Remote) => Promise<Result<T, Fault>>,
  { isNew }: { readonly isNew: boolean } = { isNew: false },
): Promise<Result<T, Fault>> {
  const url = env[ENV.remoteUrl] || null;
  if (url === null) return err(fault("REMOTE_NOT_SET", {}));
  const opened = await openRemote(url, { isNew });
  if (!opened.ok) return opened;
  const remote = opened.value;
  try {
    const ready = isNew ? null : await remote.check();
    return ready?.ok === false ? ready : await work(remote);
  } finally {
    await remote.close();
  }
}
