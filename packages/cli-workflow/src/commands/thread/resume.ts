import { flag, optional } from "@uncaged/command-line";
import { err, fault } from "@uncaged/workflow-protocol";
import { defineRootCommand, ROOT_FAULTS, THREAD } from "../../line/index.js";
import { changePause } from "./pause.js";

const NOT_ONE = fault("USAGE", {
  reason: "resume takes a thread or --remote --failed, and not both",
  usage: "name a thread, or give --remote --failed for all threads of the remote that were set aside",
});

export const command = defineRootCommand({
  path: "thread resume",
  summary: "let a paused thread go on with its next step",
  arguments: { thread: optional(THREAD) },
  options: {
    failed: flag("all threads of the remote that were set aside because their step failed"),
  },
  examples: [
    "uwf thread resume 01KAJ5E8",
    "uwf thread resume 01KAJ5E8 --remote",
    "uwf thread resume --remote --failed",
  ],
  exits: [...ROOT_FAULTS, "THREAD_ENDED", "THREAD_ON_REMOTE", "LOCK_BUSY"],
  sample: {
    line: "thread resume W8YB",
    prints: `thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB goes on
next: uwf thread run W8YB`,
  },
  onRemote: {},
  run: async (context, { thread, failed }, storage) =>
    thread === null || failed
      ? err(NOT_ONE)
      : changePause(context, storage, thread, { paused: false, why: null }),
});
