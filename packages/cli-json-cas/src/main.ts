import { BadUsage, findPath, parseLine, parserForAll } from "@uncaged/command-line";
import { CasError, escapeControls, sanitizeTerminal } from "@uncaged/json-cas";
import { createFsStore } from "@uncaged/json-cas-fs";
import { type Command, CommanderError } from "commander";
import { COMMANDS } from "./commands.made.js";
import type { Answer, CasCommand, OpenCas } from "./define.js";
import {
  CasInputError,
  type CliFault,
  type ErrorFormat,
  errorFormatOf,
  exitCodeOf,
  renderFault,
  type UsageFault,
} from "./fault.js";
import { BARE, type Host, parseFault, programOn, usageFault, VALUED } from "./program.js";
import { WORDS } from "./words.made.js";

const PATHS: ReadonlySet<string> = new Set(Object.keys(COMMANDS));

/** Runs one command line and gives the exit code. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const errorFormat = errorFormatOf(argv, host.env);
  try {
    const path = findPath(argv, PATHS, VALUED);
    const load = path === null ? undefined : COMMANDS[path];
    if (load !== undefined) return await run((await load())(BARE), argv, host);
    parserForAll(programOn(host), Object.values(WORDS)).parse(argv, { from: "user" });
    throw new Error(`${JSON.stringify(argv)} names no command, and printed nothing`);
  } catch (error) {
    return report(error, host, errorFormat);
  }
}

async function run(command: CasCommand, argv: readonly string[], host: Host): Promise<number> {
  const { root, request } = parseLine(programOn(host), command, argv);
  const { document, exitCode }: Answer = await command.run(toolsOn(root, host), request);
  if (document !== null) host.out(`${escapeControls(JSON.stringify(document, null, 2))}\n`);
  return exitCode;
}

function toolsOn(root: Command, host: Host) {
  return {
    ...openStore(root, host),
    warn: (sentence: string) => host.err(sanitizeTerminal(`warning: ${sentence}\n`)),
    readStdin: host.readStdin,
    write: host.out,
    now: host.now,
    prefix: BARE.prefix,
    loadHooks: null,
  };
}

/** Thrown if no store was named. */
class UsageError extends Error {
  readonly fault: UsageFault = {
    code: "USAGE",
    reason: "no store is named",
    usage: "give --store <dir>, or set JSON_CAS_STORE",
  };
}

function openStore(root: Command, host: Host): OpenCas {
  const { store } = root.opts<{ readonly store?: string }>();
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
  if (error instanceof BadUsage) return usageFault(error.message);
  if (error instanceof CasError || error instanceof CasInputError || error instanceof UsageError)
    return error.fault;
  return { code: "BUG", reason: error instanceof Error ? error.message : String(error) };
}
