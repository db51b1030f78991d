import type { Command } from "commander";
import { completeHelp } from "./help/index.js";
import { type Host, processHost } from "./io.js";
import { buildProgram } from "./program/index.js";
import { errorFormatOf } from "./render.js";
import { failThrown } from "./session.js";

/**
 * The page of help of the command that these words name, for which the command line is needed and no command: the bundler
 * leaves those out. Gives the exit code; `null`: there is no such command.
 */
export function mainHelp(words: readonly string[], host: Host = processHost()): number | null {
  try {
    return printPage(words, host.stdout) === null ? 0 : null;
  } catch (error) {
    const format = errorFormatOf([], host.env);
    return failThrown(error, host, format.ok ? format.value : "text");
  }
}

/**
 * Prints the page of the command that these words name, and passes over what follows its name. Where a word names none,
 * nothing is printed, and the names that could have stood there are given.
 */
export function printPage(words: readonly string[], stdout: Host["stdout"]): readonly string[] | null {
  const program = buildProgram({ context: noCommand, finish: noCommand, stdout });
  let command: Command = program;
  for (const word of words) {
    if (command.commands.length === 0) break;
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return command.commands.map((each) => each.name());
    command = next;
  }
  completeHelp(program);
  command.outputHelp();
  return null;
}

function noCommand(): never {
  throw new Error("a page of help runs no command");
}
