import {
  counted,
  defineCommand,
  document,
  lines,
  OPEN_REMOTE_FAULTS,
  TIME,
  type UwfCommand,
} from "@uncaged/cli-workflow/add-on";
import { option } from "@uncaged/command-line";
import { withRemote } from "../work/index.js";

/** Removes nodes that nothing reaches, and with a retention threads that ended so long ago, and roots lost for so long. */
export const command: UwfCommand = defineCommand({
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
