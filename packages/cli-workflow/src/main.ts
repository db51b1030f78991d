import { CasInputError } from "@uncaged/cli-json-cas";
import { BadUsage, findPath } from "@uncaged/command-line";
import { CasError } from "@uncaged/json-cas";
import { fault, fromCasFault } from "@uncaged/workflow-protocol";
import { CommanderError } from "commander";
import { COMPLETE, StorageFault } from "./commands/index.js";
import { COMMANDS } from "./commands.made.js";
import { type Host, processHost } from "./io.js";
import { ADD_ONS, OWN_BIN, ownVersion, provideCore, VALUED } from "./line/index.js";
import { mainComplete } from "./main-complete.js";
import { helpTree } from "./main-help.js";
import { parseFault } from "./parse-fault.js";
import { type ErrorFormat, errorFormatOf } from "./render.js";
import { declared, runLine } from "./run-line.js";
import { fail, failThrown } from "./session.js";

// All that an add-on may use is loaded for lines that need one.
provideCore(async () => (await import("./core.js")).CORE);

/** Runs one command line and returns the exit code. */
export async function main(argv: readonly string[], host: Host = processHost(OWN_BIN)): Promise<number> {
  const [command, ...words] = argv;
  if (command === COMPLETE) return mainComplete(words, host);
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
    // This uwf was built without the add-on, and knows no more of its commands.
    if (findPath(argv, ADDED, VALUED) !== null)
      return fail(fault("REMOTE_NOT_INSTALLED", {}), host, errorFormat);
    // `uwf` alone prints help, as `gh` and `npm` do; a group alone (`uwf thread`) is an incomplete command.
    return runOther(argv.length === 0 ? ["--help"] : argv, host);
  } catch (error) {
    return report(error, argv, host, errorFormat);
  }
}

const PATHS: ReadonlySet<string> = new Set(Object.keys(COMMANDS));

const ADDED: ReadonlySet<string> = new Set(ADD_ONS.remote.commands);

/** Runs the line of a command that is one definition. */
async function runDefined(
  path: string,
  argv: readonly string[],
  host: Host,
  errorFormat: ErrorFormat,
): Promise<number> {
  const command = await COMMANDS[path]?.();
  if (command === undefined) throw new Error(`no command is called ${path}`);
  if (command === null) return fail(fault("REMOTE_NOT_INSTALLED", {}), host, errorFormat);
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
    if (error instanceof CasError)
      return fail(declared(command, fromCasFault(error.fault), host), host, errorFormat);
    throw error;
  }
}

/** A line that names no command prints a page of help or the version, or is a mistake. */
function runOther(argv: readonly string[], { stdout }: Host): number {
  const root = helpTree(stdout);
  root.on("option:version", () => {
    stdout.write(`${ownVersion()}\n`);
    throw new CommanderError(0, "commander.version", "");
  });
  root.parse(argv, { from: "user" });
  throw new Error(`the line ${JSON.stringify(argv)} ran no command and printed nothing`);
}

function report(error: unknown, argv: readonly string[], host: Host, errorFormat: ErrorFormat): number {
  if (error instanceof CommanderError) {
    const failure = parseFault(error, argv);
    return failure === null ? 0 : fail(failure, host, errorFormat);
  }
  return failThrown(error, host, errorFormat);
}
