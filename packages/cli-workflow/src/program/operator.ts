import type { Command } from "commander";
import { load } from "./load.js";
import { leaf, once, WHEN, wholeNumber } from "./options.js";
import type { Invoke } from "./types.js";

type LogOptions = {
  readonly thread?: string;
  readonly since?: string;
  readonly follow: boolean;
  readonly limit?: number;
};

/** Commands about the storage root as a whole. */
export function operatorCommands(program: Command, invoke: Invoke): void {
  leaf(program, "log", "print what happened, failed runs included, oldest first", [
    "uwf log --since 2h",
    "uwf log --thread 01KAJ5E8 --limit 20",
    "uwf log --since 2026-01-31T08:00 --format yaml",
    "uwf log --follow",
  ])
    .option("--thread <thread>", "of this thread only", once("--thread"))
    .option("--since <when>", WHEN, once("--since"))
    .option("--follow", "go on as things happen, one JSON line each, until interrupted", false)
    .option("--limit <count>", "the newest so many", wholeNumber(0))
    .action((options: LogOptions) =>
      invoke(load.log, {
        thread: options.thread ?? null,
        since: options.since ?? null,
        follow: options.follow,
        limit: options.limit ?? null,
      }),
    );

  leaf(program, "doctor", "check storage root, configuration, agents and locks; changes nothing", [
    "uwf doctor",
    "uwf doctor | jq '.findings[] | select(.status != \"ok\")'",
  ]).action(() => invoke(load.doctor, {}));
}
