import {
  ago,
  bytes,
  counted,
  defineCommand,
  document,
  lines,
  OPEN_REMOTE_FAULTS,
  type UwfCommand,
} from "@uncaged/cli-workflow/add-on";
import { rootWords, withRemote } from "../work/index.js";

export const command: UwfCommand = defineCommand({
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
