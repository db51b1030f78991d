import { Command } from "commander";
import { type CasContext, mountCas } from "../group/index.js";
import type { Host } from "../io/index.js";
import { globalOptions } from "./options.js";

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
