import { flag, option } from "@uncaged/command-line";
import { COUNT, defineCommand, THREAD, WHEN, WHEN_WORDS } from "../line/index.js";
import { printLog } from "./print-log.js";

export const command = defineCommand({
  path: "log",
  summary: "print what happened, failed runs included, oldest first",
  options: {
    thread: option(THREAD, "only this thread"),
    since: option(WHEN, WHEN_WORDS),
    follow: flag("keep printing new entries, one JSON line each, until interrupted"),
    limit: option(COUNT, "show at most this many, newest kept"),
  },
  examples: [
    "uwf log --since 2h",
    "uwf log --thread 01KAJ5E8 --limit 20",
    "uwf log --since 2026-01-31T08:00 --format yaml",
    "uwf log --follow",
    "uwf log --remote --thread 01KAJ5E8",
  ],
  exits: ["OLDER_ROOT", "INTERRUPTED"],
  sample: {
    line: "log --thread W8YB",
    prints: `2026-01-31T09:12:03Z  the thread was started
2026-01-31T09:12:03Z  planner runs: …
2026-01-31T09:12:05Z  planner recorded as 968RK709D8JWK
…`,
  },
  onRemote: {
    about: "; without --limit its newest 1000 entries",
    conflicts: ["follow"],
  },
  run: printLog,
});
