import type { Command, Option } from "commander";
import type { OfferedOption } from "../line/index.js";
import { buildProgram } from "./program.js";

/** The program for a reader of what its commands say of themselves; it runs none. */
export function describedProgram(): Command {
  return buildProgram({
    context: () => {
      throw new Error("no command is run");
    },
    finish: async () => {},
    stdout: { write: () => {}, columns: () => null },
  });
}

/** The options of the command that these words name, its own before those of every command. */
export async function offeredOptions(words: readonly string[]): Promise<readonly OfferedOption[]> {
  const program = describedProgram();
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) break;
    command = next;
  }
  const isVersion = ({ long }: Option): boolean => long === "--version" && words.length > 0;
  const options = command.options.filter((option) => !option.hidden && !isVersion(option));
  const common = new Set(program.options.map(({ long }) => long));
  const own = options.filter(({ long }) => !common.has(long));
  const others = options.filter(({ long }) => common.has(long));
  return [
    ...[...own, ...others].flatMap(({ long, argChoices }) =>
      long === undefined || long === null ? [] : { name: long, choices: argChoices ?? null },
    ),
    { name: "--help", choices: null },
  ];
}
