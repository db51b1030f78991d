import { ago, bytes, counted, lines, nextCommand } from "../human/index.js";
import type { CommandContext, CommandResult } from "../line/index.js";
import { rootWords, withRemote } from "../remote/index.js";
import { document } from "./output.js";

/** Makes the remote's tables, or brings them up to date. */
export async function remoteInit({ host }: CommandContext): CommandResult {
  const migrated = await withRemote(host, (remote) => remote.migrate(), { isNew: true });
  if (!migrated.ok) return migrated;
  const { from, to } = migrated.value;
  return document({ from, version: to }, (screen) => {
    const said =
      from === to ? `the remote has version ${to} already` : `the remote has version ${to}, ${was(from)}`;
    return lines(screen, [said]) + nextCommand(screen, "uwf thread submit <workflow> -p <task>");
  });
}

function was(version: number): string {
  return version === 0 ? "and had no tables before" : `and had version ${version} before`;
}

export async function remoteStatus({ host }: CommandContext): CommandResult {
  const status = await withRemote(host, (remote) => remote.status());
  if (!status.ok) return status;
  const { threads, nodes, bytes: size, roots, refused } = status.value;
  return document(status.value, (screen) =>
    lines(screen, [
      `${counted(threads.ready, "thread")} ready, ${threads.leased} at a worker, ${threads.held} held, ${threads.failed} failed, ${threads.ended} ended`,
      `${counted(nodes, "node")}; the database has ${bytes(size)}`,
      ...roots.map(
        ({ seenAt, isLost, threads: its, ...root }) =>
          `${rootWords(root)} (root ${root.root.slice(0, 6)}): ${isLost ? "lost, " : ""}seen ${ago(seenAt, host.now())}, has ${counted(its, "thread")}`,
      ),
      ...refused.map(
        ({ thread, head }) =>
          `a step of thread ${thread} came too late, and is kept: ${head} (uwf log --remote --thread ${thread})`,
      ),
    ]),
  );
}

/** Removes nodes that nothing reaches, and with a retention threads that ended so long ago, and roots lost for so long. */
export async function remoteGc(
  { host }: CommandContext,
  { retentionMs }: { readonly retentionMs: number | null },
): CommandResult {
  const retention = retentionMs === null ? null : retentionMs / 1000;
  const removed = await withRemote(host, (remote) => remote.collect(retention));
  if (!removed.ok) return removed;
  const { threads, nodes, roots } = removed.value;
  return document(removed.value, (screen) =>
    lines(screen, [
      `removed ${counted(threads, "thread")}, ${counted(nodes, "node")} and ${counted(roots, "lost root")}`,
    ]),
  );
}
