import type { CommandContext, CommandResult } from "@uncaged/cli-workflow/add-on";

/** The same command on a storage root. */
export type Run = (context: CommandContext, request: object) => CommandResult;
