import { parseLine } from "@uncaged/command-line";
import { ENV, exitCodeOf, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import type { Host } from "./io.js";
import type { CommandOutput, UwfCommand } from "./line/index.js";
import { COMMON_EXITS, declaredFaults, ownExits, pageOf, programOn } from "./line/index.js";
import type { ErrorFormat } from "./render.js";
import { type Colour, screenOf, watcherOf } from "./screen/index.js";
import { contextOf, type Printing, print } from "./session.js";

/** What a line of a command came to. */
type Ended =
  | { readonly kind: "exit"; readonly code: number }
  /** Its sentence has not been printed. */
  | { readonly kind: "fault"; readonly fault: Fault };

/** Parses a line that names this command, runs it and prints its result. Throws what commander throws, and bugs. */
export async function runLine(
  command: UwfCommand,
  argv: readonly string[],
  host: Host,
  errorFormat: ErrorFormat,
): Promise<Ended> {
  const page = pageOf(command, ownExits(declaredFaults(command)));
  const { leaf, request } = parseLine(programOn(host.stdout), command, argv, page);
  const printing = printingOf(leaf.optsWithGlobals<FormatOptions>(), host, errorFormat);
  const result = await command.run(contextOf(host, errorFormat, printing), request);
  return finish(command, result, host, printing);
}

/** A command may have formats of its own, which it takes care of. */
type FormatOptions = { readonly format?: string; readonly color?: Colour };

function printingOf(
  { format = undefined, color = "auto" }: FormatOptions,
  host: Host,
  errorFormat: ErrorFormat,
): Printing {
  const isForPerson = format === "text" || (format === undefined && host.stdout.isTerminal());
  return {
    format: format === "json" || format === "yaml" ? format : null,
    typedFormat: format ?? null,
    colour: color,
    screen: isForPerson ? screenOf(host, color) : null,
    watcher: () => (errorFormat === "text" ? watcherOf(host, color) : null),
  };
}

async function finish(
  command: UwfCommand,
  result: Result<CommandOutput, Fault>,
  host: Host,
  printing: Printing,
): Promise<Ended> {
  if (!result.ok) return { kind: "fault", fault: declared(command, result.error, host) };
  const output = result.value;
  await print(host, output, printing);
  if (output.kind === "failure") return { kind: "fault", fault: declared(command, output.fault, host) };
  if (output.kind === "refusal")
    return { kind: "exit", code: exitCodeOf(declared(command, output.fault, host)) };
  return { kind: "exit", code: "exitCode" in output ? output.exitCode : 0 };
}

/** Tests set `UWF_STRICT_EXITS`: a fault that the command does not declare is a bug there, so that no page can lie. */
export function declared(command: UwfCommand, failure: Fault, { env }: Host): Fault {
  if (env[ENV.strictExits] !== "1") return failure;
  if (COMMON_EXITS.includes(exitCodeOf(failure)) || declaredFaults(command).has(failure.code)) return failure;
  return fault("BUG", {
    reason: `uwf ${command.path} ended with ${failure.code}, which its definition does not declare`,
  });
}
