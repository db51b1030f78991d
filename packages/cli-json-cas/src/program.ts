import { Command, type CommanderError, Option } from "commander";
import type { UsageFault } from "./fault.js";
import { type CasContext, mountCas } from "./group.js";
import type { Host } from "./io.js";

/** The options that may appear anywhere on the command line. */
function globalOptions(program: Command): Command {
  return program
    .option("--store <dir>", "folder of the store (or JSON_CAS_STORE); created with the first node")
    .addOption(new Option("--format <format>", "how the result is printed").choices(["json"]))
    .addOption(new Option("--error-format <format>", "how a failure is printed").choices(["text", "json"]));
}

/** A commander error as a usage fault; `null` when it only says that help or the version was printed. */
export function parseFault(error: CommanderError): UsageFault | null {
  if (error.exitCode === 0) return null;
  const usage = "see `json-cas --help`, or `json-cas <command> --help`";
  if (error.code === "commander.help") return { code: "USAGE", reason: "a command is missing", usage };
  const reason = error.message
    .replace(/^error: /, "")
    .replace(/\n?\(Did you mean (.+?)\?\)/, ', did you mean "$1"?')
    .trim();
  return { code: "USAGE", reason, usage };
}

const EXAMPLES = `Examples:
  $ json-cas --store ./cas schema put '{"title": "Person", "type": "object"}'
  $ json-cas --store ./cas put <type-hash> '{"name": "Ada"}'
  $ json-cas --store ./cas get <hash>
  $ json-cas --store ./cas verify
`;

const EXIT_CODES = `
Exit codes: 0 done, 1 bug, 2 usage, 3 not found, 4 invalid input, 7 store damaged, 74 I/O, 75 busy`;

/** The command line of json-cas. Parsing throws commander's errors; see `parseFault`. */
export function buildProgram(host: Host, context: Omit<CasContext, "prefix" | "configure">): Command {
  const program = globalOptions(new Command("json-cas"))
    .description("A content-addressed store of typed JSON nodes.")
    .version(host.version, "-V, --version", "print the version")
    .addHelpText("before", EXAMPLES)
    .addHelpText("after", EXIT_CODES)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: host.out, writeErr: () => {} })
    .exitOverride();
  mountCas(program, { ...context, prefix: "json-cas --store ./cas", configure: (command) => command });
  return program;
}
