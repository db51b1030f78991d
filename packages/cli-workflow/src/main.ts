import { CasInputError } from "@uncaged/cli-json-cas";
import { BadUsage, findPath } from "@uncaged/command-line";
import { exitCodeOf, fault } from "@uncaged/workflow-protocol";
import { type Command, CommanderError } from "commander";
import { COMPLETE, StorageFault } from "./commands/index.js";
import { COMMANDS } from "./commands.made.js";
import { type Colour, screenOf, watcherOf } from "./human/index.js";
import { type Host, processHost } from "./io.js";
import { VALUED } from "./line/index.js";
import { buildProgram, load, offeredOptions as optionsOf, parseFault } from "./program/index.js";
import { type ErrorFormat, errorFormatOf } from "./render.js";
import { declared, runLine } from "./run-line.js";
import { contextOf, FOR_PROGRAM, fail, failThrown, type Printing, print } from "./session.js";
import { ownVersion } from "./version.js";

/** For completion, which comes in by an entry of its own. The type is written out: main.d.ts is published without others. */
export const offeredOptions: (
  words: readonly string[],
) => Promise<readonly { readonly name: string; readonly choices: readonly string[] | null }[]> = optionsOf;

/** A command may have formats of its own, which it takes care of. */
type FormatOptions = { readonly format?: string; readonly color?: Colour };

/** Runs one command line and returns the exit code. */
export async function main(argv: readonly string[], host: Host = processHost()): Promise<number> {
  const [command, ...words] = argv;
  if (command === COMPLETE) return (await load.complete())(words, optionsOf, host);
  const errorFormat = errorFormatOf(argv, host.env);
  if (!errorFormat.ok) return fail(errorFormat.error, host, "text");
  return run(argv, host, errorFormat.value);
}

async function run(argv: readonly string[], host: Host, errorFormat: ErrorFormat): Promise<number> {
  try {
    if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
      host.stdout.write(`${ownVersion()}\n`);
      return 0;
    }
    const path = findPath(argv, PATHS, VALUED);
    if (path !== null) return await runDefined(path, argv, host, errorFormat);
    // `uwf` alone prints help, as `gh` and `npm` do; a group alone (`uwf thread`) is an incomplete command.
    return await runCommand(argv.length === 0 ? ["--help"] : argv, host, errorFormat);
  } catch (error) {
    return report(error, argv, host, errorFormat);
  }
}

const PATHS: ReadonlySet<string> = new Set(Object.keys(COMMANDS));

/** Runs the line of a command that is one definition. */
async function runDefined(
  path: string,
  argv: readonly string[],
  host: Host,
  errorFormat: ErrorFormat,
): Promise<number> {
  const command = await COMMANDS[path]?.();
  if (command === undefined) throw new Error(`no command is called ${path}`);
  try {
    const ended = await runLine(command, argv, host, errorFormat);
    return ended.kind === "exit" ? ended.code : fail(ended.fault, host, errorFormat);
  } catch (error) {
    if (error instanceof BadUsage)
      return fail(
        fault("USAGE", { reason: error.message, usage: `see \`uwf help ${path}\`` }),
        host,
        errorFormat,
      );
    if (error instanceof StorageFault || error instanceof CasInputError)
      return fail(declared(command, error.fault, host), host, errorFormat);
    throw error;
  }
}

/** Parses the line, runs its command and prints the result. */
async function runCommand(argv: readonly string[], host: Host, errorFormat: ErrorFormat): Promise<number> {
  let exitCode = 0;
  let printing: Printing = FOR_PROGRAM;
  const program = buildProgram({
    context: () => contextOf(host, errorFormat, printing),
    stdout: host.stdout,
    finish: async (result) => {
      if (!result.ok) {
        exitCode = fail(result.error, host, errorFormat);
        return;
      }
      await print(host, result.value, printing);
      if ("exitCode" in result.value) exitCode = result.value.exitCode;
      if (result.value.kind === "refusal") exitCode = exitCodeOf(result.value.fault);
      if (result.value.kind === "failure") exitCode = fail(result.value.fault, host, errorFormat);
    },
  });
  program.hook("preAction", (_program: Command, command: Command) => {
    const { format = null, color = "auto" } = command.optsWithGlobals<FormatOptions>();
    const isForPerson = format === "text" || (format === null && host.stdout.isTerminal());
    printing = {
      format: format === "json" || format === "yaml" ? format : null,
      typedFormat: format,
      colour: color,
      screen: isForPerson ? screenOf(host, color) : null,
      watcher: () => (errorFormat === "text" ? watcherOf(host, color) : null),
    };
  });
  if (asksForHelp(argv)) (await load.completeHelp())(program);
  await program.parseAsync(argv, { from: "user" });
  return exitCode;
}

/** A prompt that says `--help` costs a moment more. */
function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes("--help") || argv.includes("-h");
}

function report(error: unknown, argv: readonly string[], host: Host, errorFormat: ErrorFormat): number {
  if (error instanceof CommanderError) {
    const failure = parseFault(error, argv);
    return failure === null ? 0 : fail(failure, host, errorFormat);
  }
  if (error instanceof CasInputError) return fail(error.fault, host, errorFormat);
  if (error instanceof StorageFault) return fail(error.fault, host, errorFormat);
  return failThrown(error, host, errorFormat);
}
