import { CasError } from "@uncaged/json-cas";
import { type Fault, exitCodeOf, fault, fromCasFault, type Result } from "@uncaged/workflow-protocol";
import { openStorage, resolveStorageRoot, type Storage } from "@uncaged/workflow-store";
import { type Command, CommanderError } from "commander";
import { mountCasGroup } from "./commands/cas/index.js";
import type { CommandContext, CommandHandler, CommandOutput } from "./commands/types.js";
import type { Host } from "./io/index.js";
import { bindWait, buildProgram, parseFault } from "./program/index.js";
import { type ErrorFormat, errorFormatOf, type Format, renderDocument, renderFault } from "./render/index.js";
import { ownVersion } from "./version.js";

/** Runs one command line and gives the exit code. What is thrown below is a bug. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const errorFormat = errorFormatOf(argv, host.env);
  try {
    return await run(argv, host, errorFormat);
  } catch (error) {
    return reportBug(error, host, errorFormat);
  }
}

async function run(argv: readonly string[], host: Host, errorFormat: ErrorFormat): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    host.stdout.write(`${ownVersion()}\n`);
    return 0;
  }
  const failure = await runCommand(argv, host);
  if (failure === null) return 0;
  host.stderr.write(renderFault(failure, errorFormat));
  return exitCodeOf(failure);
}

/** Parses the line, runs its command and prints the result; gives the fault or `null`. */
async function runCommand(argv: readonly string[], host: Host): Promise<Fault | null> {
  let failure: Fault | null = null;
  let format: Format | null = null;
  const context = (): CommandContext => contextOf(host, format);
  const invoke = async <Request>(load: () => Promise<CommandHandler<Request>>, request: Request) => {
    const result = await (await load())(context(), request);
    if (result.ok) await print(host, result.value, format);
    else failure = result.error;
  };
  const mountCas = (group: Command): void =>
    mountCasGroup(group, context, (found) => {
      failure = found;
    });
  const program = buildProgram({ invoke, mountCas, writeOut: host.stdout.write });
  program.hook("preAction", (_program, command) => {
    format = command.optsWithGlobals<{ readonly format?: Format }>().format ?? null;
  });
  try {
    await program.parseAsync(bindWait(argv), { from: "user" });
    return failure;
  } catch (error) {
    if (error instanceof CommanderError) return parseFault(error, argv);
    if (error instanceof CasError) return fromCasFault(error.fault);
    throw error;
  }
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
  return root.ok ? { ok: true, value: openStorage(root.value, { now: host.now }) } : root;
}

async function print(host: Host, output: CommandOutput, format: Format | null): Promise<void> {
  if (output.kind === "text") host.stdout.write(output.text);
  else host.stdout.write(await renderDocument(output.value, format ?? output.defaultFormat));
}

function reportBug(error: unknown, host: Host, errorFormat: ErrorFormat): number {
  const reason = error instanceof Error ? error.message : String(error);
  host.stderr.write(renderFault(fault("BUG", { reason }), errorFormat));
  if (host.env.UWF_DEBUG === "1" && error instanceof Error) host.stderr.write(`${error.stack ?? ""}\n`);
  return exitCodeOf(fault("BUG", { reason }));
}
