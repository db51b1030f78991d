import { CasInputError } from "@uncaged/cli-json-cas";
import { CasError } from "@uncaged/json-cas";
import { exitCodeOf, type Fault, fault, fromCasFault, ok, type Result } from "@uncaged/workflow-protocol";
import { openStorage, resolveStorageRoot, type Storage } from "@uncaged/workflow-store";
import { type Command, CommanderError } from "commander";
import { type CommandContext, type CommandOutput, StorageFault } from "./commands/index.js";
import type { Host } from "./io/index.js";
import { bindWait, buildProgram, parseFault } from "./program/index.js";
import { type ErrorFormat, errorFormatOf, type Format, renderDocument, renderFault } from "./render/index.js";
import { ownVersion } from "./version.js";

/** Runs one command line and gives the exit code. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const errorFormat = errorFormatOf(argv, host.env);
  try {
    if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
      host.stdout.write(`${ownVersion()}\n`);
      return 0;
    }
    return await runCommand(argv, host, errorFormat);
  } catch (error) {
    return report(error, argv, host, errorFormat);
  }
}

/** Parses the line, runs its command and prints the result. */
async function runCommand(argv: readonly string[], host: Host, errorFormat: ErrorFormat): Promise<number> {
  let exitCode = 0;
  let format: Format | null = null;
  const program = buildProgram({
    context: () => contextOf(host, format),
    writeOut: host.stdout.write,
    finish: async (result) => {
      if (result.ok) return print(host, result.value, format);
      exitCode = fail(result.error, host, errorFormat);
    },
    answer: async (document, code) => {
      await print(host, { kind: "document", value: document, defaultFormat: "json" }, format);
      exitCode = code;
    },
  });
  program.hook("preAction", (_program: Command, command: Command) => {
    format = command.optsWithGlobals<{ readonly format?: Format }>().format ?? null;
  });
  await program.parseAsync(bindWait(argv), { from: "user" });
  return exitCode;
}

function contextOf(host: Host, format: Format | null): CommandContext {
  return {
    host,
    format,
    openStorage: () => openRoot(host),
    warn: (sentence) => host.stderr.write(`warning: ${sentence}\n`),
  };
}

function openRoot(host: Host): Result<Storage, Fault> {
  const root = resolveStorageRoot({ env: host.env, cwd: host.cwd, home: host.env.HOME ?? null });
  return root.ok ? ok(openStorage(root.value, { now: host.now })) : root;
}

async function print(host: Host, output: CommandOutput, format: Format | null): Promise<void> {
  if (output.kind === "text") host.stdout.write(output.text);
  else host.stdout.write(await renderDocument(output.value, format ?? output.defaultFormat));
}

function fail(failure: Fault, host: Host, errorFormat: ErrorFormat): number {
  host.stderr.write(renderFault(failure, errorFormat));
  return exitCodeOf(failure);
}

/** What was thrown: the line could not be parsed, the node store failed, or uwf has a bug. */
function report(error: unknown, argv: readonly string[], host: Host, errorFormat: ErrorFormat): number {
  if (error instanceof CommanderError) {
    const failure = parseFault(error, argv);
    return failure === null ? 0 : fail(failure, host, errorFormat);
  }
  if (error instanceof CasError) return fail(fromCasFault(error.fault), host, errorFormat);
  if (error instanceof CasInputError) return fail(error.fault, host, errorFormat);
  if (error instanceof StorageFault) return fail(error.fault, host, errorFormat);
  const exitCode = fail(fault("BUG", { reason: String(error) }), host, errorFormat);
  if (host.env.UWF_DEBUG === "1" && error instanceof Error) host.stderr.write(`${error.stack ?? ""}\n`);
  return exitCode;
}
