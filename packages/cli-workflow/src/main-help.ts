import { parserForAll } from "@uncaged/command-line";
import type { Command } from "commander";
import type { TextSink } from "./io.js";
import { type Host, processHost } from "./io.js";
import { OWN_BIN, pageOf, programOn } from "./line/index.js";
import { errorFormatOf } from "./render.js";
import { failThrown } from "./session.js";
import { WORDS } from "./words.made.js";

/**
 * The page of help of the command that these words name, without the code of any. Gives the exit code; `null`: there is no
 * such command.
 */
export function mainHelp(words: readonly string[], host: Host = processHost(OWN_BIN)): number | null {
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
  let command: Command = helpTree(stdout);
  for (const word of words) {
    if (command.commands.length === 0) break;
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return command.commands.map((each) => each.name());
    command = next;
  }
  command.outputHelp();
  return null;
}

// All commands as commander's, without the code of any: for pages of help, and for a line that names none of them.

/** With their whole pages, which go to `stdout`. */
export function helpTree(stdout: Pick<TextSink, "write" | "columns">): Command {
  return parserForAll(
    programOn(stdout),
    Object.values(WORDS).map((words) => pageOf(words, words.exitCodes)),
  );
}

/** With the words of their definitions, for other pages than those of `--help`. */
export function wordsTree(): Command {
  return parserForAll(programOn({ write: () => {}, columns: () => null }), Object.values(WORDS));
}
