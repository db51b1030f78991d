import type { Fault, Result } from "@uncaged/workflow-protocol";
import { Command, type OutputConfiguration } from "commander";
import { HELP_TOPICS } from "../commands/index.js";
import type { TextSink } from "../io.js";
import type { CommandContext, CommandHandler, CommandOutput } from "../line/index.js";
import { load } from "./load.js";
import { defined, formatOptions, leaf, once } from "./options.js";
import { threadCommands } from "./thread.js";

/** What the command line needs from the program around it. */
type ProgramParts = {
  readonly context: () => CommandContext;
  /** Takes the result of a command. */
  readonly finish: (result: Result<CommandOutput, Fault>) => Promise<void>;
  /** Where help goes. */
  readonly stdout: Pick<TextSink, "write" | "columns">;
};

/** Runs the handler of a command; the handler's module is loaded by `load` only now. */
export type Invoke = <Request>(
  load: () => Promise<CommandHandler<Request>>,
  request: Request,
) => Promise<void>;

const WORKFLOW = "put validate schema test show graph diff history rollback rm list".split(" ");

const REMOTE_HELP = `
Its threads: uwf thread submit, push, fetch, and --remote on list, show, read,
steps, usage, answer, pause, resume and kill. More: uwf help remotes`;

/** Left to itself, commander asks process.stdout, which loads the streams of Node.js and node:tty. */
function outputTo({ write, columns }: ProgramParts["stdout"]): OutputConfiguration {
  return {
    writeOut: write,
    writeErr: () => {},
    getOutHelpWidth: () => columns() ?? 80,
    getOutHasColors: () => false,
  };
}

/** The command line of uwf. Parsing throws commander's errors; see `parseFault`. */
export function buildProgram(parts: ProgramParts): Command {
  const program = formatOptions(new Command("uwf"))
    .description("A stateless, single-step workflow engine for AI agents.")
    .addHelpText("before", ROOT_EXAMPLES)
    .addHelpText(
      "after",
      `\nTopics of uwf help:\n${HELP_TOPICS.map(([name]) => name).join(", ")}\nTo choose who plays the roles: uwf setup. For a coding agent: uwf skill`,
    )
    .option("-V, --version", "print the version")
    .configureOutput(outputTo(parts.stdout))
    .exitOverride()
    .enablePositionalOptions()
    .showSuggestionAfterError(true)
    .helpCommand(false);
  const invoke: Invoke = async (load, request) =>
    parts.finish(await (await load())(parts.context(), request));
  const workflows = group(program, "workflow", "register and inspect workflows");
  for (const verb of WORKFLOW) defined(workflows, `workflow ${verb}`);
  defined(program, "run");
  defined(program, "prompt");
  const threads = group(program, "thread", "start, step and read threads");
  threadCommands(threads);
  defined(threads, "thread export");
  defined(threads, "thread import");
  const remotes = group(program, "remote", "threads in PostgreSQL, for workers on several machines");
  remotes.addHelpText("after", REMOTE_HELP);
  for (const verb of ["init", "status", "gc"]) defined(remotes, `remote ${verb}`);
  defined(program, "worker");
  const cas = group(program, "cas", "the content-addressed store of this storage root");
  casCommands(cas);
  textCommand(cas, invoke);
  fileCommands(cas, invoke);
  for (const name of ["report", "ui", "log", "doctor", "init", "setup", "completion", "skill", "help"])
    defined(program, name);
  return program;
}

const ROOT_EXAMPLES = `Examples:
  $ uwf init door-sign
  $ uwf workflow test door-sign
  $ uwf run door-sign -p "Tell everybody when the office is closed"
`;

function group(program: Command, name: string, summary: string): Command {
  return formatOptions(program.command(name).description(summary))
    .enablePositionalOptions()
    .helpCommand(false);
}

function casCommands(cas: Command): void {
  for (const verb of ["get", "put", "has", "refs", "walk"]) defined(cas, `cas ${verb}`);
  const schema = leaf(cas, "schema", "store and inspect JSON Schemas, the types of nodes", [
    "uwf cas schema list",
    `uwf cas schema put '{"type": "object", "properties": {"name": {"type": "string"}}}'`,
  ]).helpCommand(false);
  for (const verb of ["put", "get", "list", "validate"]) defined(schema, `cas schema ${verb}`);
  for (const verb of ["list", "du", "reindex", "verify", "pack", "gc", "export", "import"])
    defined(cas, `cas ${verb}`);
}

/** Beside the group's own commands: a store of nodes knows nothing of our type of texts. */
function textCommand(cas: Command, invoke: Invoke): void {
  leaf(cas, "put-text [text]", "store a text, print {hash}: what a cas_ref field can refer to", [
    'uwf cas put-text "The parser, then its tests."',
    "uwf cas put-text --file plan.md",
    "git diff | uwf cas put-text -",
  ])
    .option("--file <path>", "read the text from this file", once("--file"))
    .action((text: string | undefined, { file }: { readonly file?: string }) =>
      invoke(load.casPutText, { text: text ?? null, file: file ?? null }),
    );
}

function fileCommands(cas: Command, invoke: Invoke): void {
  const file = leaf(cas, "file", "store files, and get them back", [
    "uwf cas file put fix.patch",
    "uwf cas file get 64KB4T4A9CKTS -o fix.patch",
  ]).helpCommand(false);

  leaf(file, "put <path>", "store a file of the current folder, print {hash}", [
    "uwf cas file put fix.patch",
    "uwf cas file put report.bin --media-type application/pdf",
  ])
    .option("--media-type <type>", "by the name's extension if not given", once("--media-type"))
    .addHelpText("after", "\nA file has 32 MiB at most. Links are not followed.")
    .action((path: string, { mediaType }: { readonly mediaType?: string }) =>
      invoke(load.casFilePut, { path, mediaType: mediaType ?? null }),
    );

  leaf(file, "get <hash>", "write the bytes of a stored file to stdout, or to a new file", [
    "uwf cas file get 64KB4T4A9CKTS -o fix.patch",
    "uwf cas file get 64KB4T4A9CKTS | git apply",
  ])
    .option("-o, --output <file>", "output file; - is stdout", "-")
    .option("--force", "replace an existing file", false)
    .action((hash: string, { output, force }: { readonly output: string; readonly force: boolean }) =>
      invoke(load.casFileGet, { hash, output, force }),
    );
}
