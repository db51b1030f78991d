import { CasError, escapeControls, sanitizeTerminal } from "@uncaged/json-cas";
import { createFsStore } from "@uncaged/json-cas-fs";
import { type Command, CommanderError } from "commander";
import type { AnswerCode, OpenCas } from "./commands/index.js";
import {
  CasInputError,
  type CliFault,
  type ErrorFormat,
  errorFormatOf,
  exitCodeOf,
  renderFault,
  type UsageFault,
} from "./fault.js";
import type { Host } from "./io.js";
import { buildProgram, parseFault } from "./program.js";

/** Runs one command line and gives the exit code. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const errorFormat = errorFormatOf(argv, host.env);
  let exitCode: AnswerCode = 0;
  const program: Command = buildProgram(host, {
    openStore: () => openStore(program, host),
    print: (document, code) => {
      host.out(`${escapeControls(JSON.stringify(document, null, 2))}\n`);
      exitCode = code;
    },
    warn: (sentence) => host.err(sanitizeTerminal(`warning: ${sentence}\n`)),
    readStdin: host.readStdin,
    write: host.out,
    now: host.now,
    loadHooks: null,
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error, host, errorFormat);
  }
}

/** Thrown if no store was named. */
class UsageError extends Error {
  readonly fault: UsageFault = {
    code: "USAGE",
    reason: "no store is named",
    usage: "give --store <dir>, or set JSON_CAS_STORE",
  };
}

function openStore(program: Command, host: Host): OpenCas {
  const { store } = program.opts<{ readonly store?: string }>();
  const dir = store ?? host.env.JSON_CAS_STORE ?? "";
  // Set but empty counts as unset.
  if (dir === "") throw new UsageError();
  return { dir, store: createFsStore(dir, { now: host.now }) };
}

function report(error: unknown, host: Host, errorFormat: ErrorFormat): number {
  const fault = faultOf(error);
  if (fault === null) return 0;
  host.err(renderFault(fault, errorFormat));
  const isBug = fault.code === "BUG" && error instanceof Error;
  if (isBug && host.env.UWF_DEBUG === "1") host.err(`${error.stack ?? ""}\n`);
  return exitCodeOf(fault);
}

function faultOf(error: unknown): CliFault | null {
  if (error instanceof CommanderError) return parseFault(error);
  if (error instanceof CasError || error instanceof CasInputError || error instanceof UsageError)
    return error.fault;
  return { code: "BUG", reason: error instanceof Error ? error.message : String(error) };
}
