import { argument, option, text } from "@uncaged/command-line";
import { defineCommand, ROOT_FAULTS, THREAD } from "../../line/index.js";
import { changePause } from "./paused.js";

export const command = defineCommand({
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
  run: async (context, { thread, message }) => changePause(context, thread, { paused: true, why: message }),
});
