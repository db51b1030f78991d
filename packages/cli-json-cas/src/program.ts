import { type Program, sentenceOf } from "@uncaged/command-line";
import { type CommanderError, Option } from "commander";
import type { Mount } from "./define.js";
import type { UsageFault } from "./fault.js";

/** What the command may touch of the process it runs in. Nothing below `bin/` reads `process`. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Epoch ms. */
  readonly now: () => number;
  /**
   * A closed reader (`| head -1`) is not an error: what it no longer reads is dropped. Throws `CasError` `IO_FAILED` if
   * stdout cannot be written.
   */
  readonly out: (content: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  /** All of stdin, until its end; `null` for more than `limit` bytes. */
  readonly readStdin: (limit: number) => Uint8Array | null;
};

/** The commands of the bare store. */
export const BARE: Mount = { group: "", prefix: "json-cas --store ./cas", hasNames: false };

/** The options that may appear anywhere on the command line and have a value. */
export const VALUED: ReadonlySet<string> = new Set(["--store", "--format", "--error-format"]);

/** The command line of json-cas, whose help goes to the host's stdout. */
export function programOn(host: Host): Program {
  return {
    name: "json-cas",
    first: ["get", "put", "has", "refs", "walk", "schema", "list", "du", "reindex", "verify", "pack", "gc"],
    everywhere: (command) => command,
    root: (root) =>
      root
        .description("A content-addressed store of typed JSON nodes.")
        .option("--store <dir>", "folder of the store (or JSON_CAS_STORE); created with the first node")
        .addOption(new Option("--format <format>", "how the result is printed").choices(["json"]))
        .addOption(
          new Option("--error-format <format>", "how a failure is printed").choices(["text", "json"]),
        )
        .version(host.version, "-V, --version", "print the version")
        .addHelpText("before", EXAMPLES)
        .addHelpText("after", EXIT_CODES)
        .configureHelp({ showGlobalOptions: true })
        .configureOutput({ writeOut: host.out, writeErr: () => {} }),
    groups: {
      schema: {
        summary: "store and inspect JSON Schemas, the types of nodes",
        examples: [
          "schema list",
          `schema put '{"type": "object", "properties": {"name": {"type": "string"}}}'`,
        ].map((example) => `${BARE.prefix} ${example}`),
        notes: "",
        first: ["put", "get", "list", "validate"],
      },
    },
  };
}

/** A commander error as a usage fault; `null` when it only says that help or the version was printed. */
export function parseFault(error: CommanderError): UsageFault | null {
  if (error.exitCode === 0) return null;
  if (error.code === "commander.help") return usageFault("a command is missing");
  return usageFault(sentenceOf(error));
}

export function usageFault(reason: string): UsageFault {
  return { code: "USAGE", reason, usage: "see `json-cas --help`, or `json-cas <command> --help`" };
}

const EXAMPLES = `Examples:
  $ json-cas --store ./cas schema put '{"title": "Person", "type": "object"}'
  $ json-cas --store ./cas put <type-hash> '{"name": "Ada"}'
  $ json-cas --store ./cas get <hash>
  $ json-cas --store ./cas verify
`;

const EXIT_CODES = `
Exit codes: 0 done, 1 bug, 2 usage, 3 not found, 4 invalid input, 7 store damaged, 74 I/O, 75 busy`;
