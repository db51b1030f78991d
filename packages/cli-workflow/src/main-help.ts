import { CommanderError } from "commander";
import { completeHelp } from "./help/index.js";
import { type Host, processHost } from "./io.js";
import { buildProgram, parseFault } from "./program/index.js";

/**
 * `main` for a help page, which needs the command line and no command: the bundler leaves those out. Gives the exit code;
 * `null` where the line is no question for help after all, and nothing was printed.
 */
export async function mainHelp(argv: readonly string[], host: Host = processHost()): Promise<number | null> {
  const program = buildProgram({
    context: noCommand,
    finish: noCommand,
    answer: noCommand,
    writeOut: host.stdout.write,
  });
  completeHelp(program);
  try {
    await program.parseAsync(argv, { from: "user" });
    return null;
  } catch (error) {
    return error instanceof CommanderError && parseFault(error, argv) === null ? 0 : null;
  }
}

function noCommand(): never {
  throw new Error("a page of help runs no command");
}
