import {
  ago,
  bytes,
  counted,
  defineCommand,
  document,
  lines,
  nextCommand,
  OPEN_REMOTE_FAULTS,
  TIME,
  type UwfCommand,
} from "@uncaged/cli-workflow/add-on";
import { option } from "@uncaged/command-line";
import { rootWords, withRemote } from "../work/index.js";

/** Makes the remote's tables, or brings them up to date. */
export const init: UwfCommand = defineCommand({
  path: "remote init",
  summary: "create the tables of a remote, or update them",
  examples: ["UWF_REMOTE_URL=postgres://uwf@db/uwf uwf remote init"],
  exits: OPEN_REMOTE_FAULTS,
  sample: {
    line: "remote init",
    prints: `the remote has version 4, and had no tables before
next: uwf thread submit <workflow> -p <task>`,
  },
  run: async ({ host }) => {
    const migrated = await withRemote(host, (remote) => remote.migrate(), { isNew: true });
    if (!migrated.ok) return migrated;
    const { from, to } = migrated.value;
    return document({ from, version: to }, (screen) => {
      const sentence =
        from === to ? `the remote has version ${to} already` : `the remote has version ${to}, ${was(from)}`;
      return lines(screen, [sentence]) + nextCommand(screen, "uwf thread submit <workflow> -p <task>");
    });
  },
});

function was(version: number): string {
  return version === 0 ? "and had no tables before" : `and had version ${version} before`;
}

export const status: UwfCommand = defineCommand({
  path: "remote status",
  summary: "print how many threads are ready, running, held and failed, and which roots work",
  examples: ["uwf remote status", "uwf remote status | jq .threads.ready"],
  exits: OPEN_REMOTE_FAULTS,
  sample: {
    line: "remote status",
    prints: `0 threads ready, 0 at a worker, 0 held, 0 failed, 0 ended
…`,
  },
  run: async ({ host }) => {
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
  },
});

/** Removes nodes that nothing reaches, and with a retention threads that ended so long ago, and roots lost for so long. */
export const gc: UwfCommand = defineCommand({
  path: "remote gc",
  summary: "remove nodes that no thread reaches",
  options: {
    retention: option(TIME, "also remove threads that ended, and roots that were lost, this long ago: 90d"),
  },
  examples: ["uwf remote gc", "uwf remote gc --retention 90d"],
  exits: OPEN_REMOTE_FAULTS,
  sample: {
    line: "remote gc --retention 90d",
    prints: "removed 0 threads, 0 nodes and 0 lost roots",
  },
  run: async ({ host }, { retention }) => {
    const seconds = retention === null ? null : retention / 1000;
    const removed = await withRemote(host, (remote) => remote.collect(seconds));
    if (!removed.ok) return removed;
    const { threads, nodes, roots } = removed.value;
    return document(removed.value, (screen) =>
      lines(screen, [
        `removed ${counted(threads, "thread")}, ${counted(nodes, "node")} and ${counted(roots, "lost root")}`,
      ]),
    );
  },
});
