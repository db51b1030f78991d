import type { Command } from "commander";
import { completeHelp } from "./help/index.js";
import { type Host, processHost } from "./io.js";
import { buildProgram } from "./program/index.js";
import { errorFormatOf } from "./render.js";
import { failThrown } from "./session.js";

/**
 * The page of help of the command that these words name, for which the command line is needed and no command: the bundler
 * leaves those out. What follows a command's name is passed over. Gives the exit code; `null`: there is no such command.
 */
export function mainHelp(words: readonly string[], host: Host = processHost()): number | null {
  try {
    const program = buildProgram({
      context: noCommand,
      finish: noCommand,
      stdout: host.stdout,
    });
    const command = commandIn(program, words);
    if (command === null) return null;
    completeHelp(program);
    command.outputHelp();
    return 0;
  } catch (error) {
    const format = errorFormatOf([], host.env);
    return failThrown(error, host, format.ok ? format.value : "text");
  }
}

function commandIn(program: Command, words: readonly string[]): Command | null {
  let command = program;
  for (const word of words) {
    if (command.commands.length === 0) break;
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return null;
    command = next;
  }
  return command;
}

function noCommand(): never {
  throw new Error("a page of help runs no command");
}
