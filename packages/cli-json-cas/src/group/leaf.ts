import type { Command } from "commander";
import type { CasContext } from "./types.js";

/** A command of the group with its examples, which stand first in its help. */
export function leaf(
  parent: Command,
  context: CasContext,
  usage: string,
  summary: string,
  examples: readonly string[],
): Command {
  const lines = examples.map((example) => `  $ ${context.prefix} ${example}\n`).join("");
  return context
    .configure(parent.command(usage).description(summary))
    .addHelpText("before", `Examples:\n${lines}`);
}
