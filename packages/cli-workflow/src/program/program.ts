import { suggest } from "@uncaged/json-cas";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { Command, Option, type OutputConfiguration } from "commander";
import { HELP_TOPICS } from "../commands/index.js";
import type { TextSink } from "../io.js";
import type { CommandContext, CommandHandler, CommandOutput } from "../line/index.js";
import { load } from "./load.js";
import { defined, formatOptions, leaf, once, period, WHEN, wholeNumber } from "./options.js";
import { type OfRemote, REMOTE_OPTION, remoteCommands, workerCommand } from "./remote.js";
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

type LogOptions = {
  readonly thread?: string;
  readonly since?: string;
  readonly follow: boolean;
  readonly limit?: number;
};

type UiOptions = { readonly port?: number; readonly open: boolean; readonly linger?: number };

const UI_HELP = `
The address has a token in it; whoever has it can do what you can do with uwf.
It reads in its own process, and runs the ordinary uwf command for everything
that a page asks for. What runs goes on when the page is closed; Ctrl-C ends it.`;

type FolderOptions = {
  readonly output: string;
  readonly details: boolean;
  readonly explain: boolean;
  readonly force: boolean;
};

/** Commands about the storage root. */
function operatorCommands(program: Command, invoke: Invoke): void {
  leaf(program, "report", "write a folder of HTML pages: workflows, threads, and a report of each thread", [
    "uwf report -o public",
    "uwf report -o public --no-details",
  ])
    .requiredOption("-o, --output <folder>", "write into this folder", once("--output"))
    .option("--no-details", "for sharing: leave out prompts, tool calls, command lines, folders and stderr")
    .option("--explain", "evaluate every condition at every step, however long it takes", false)
    .option("--force", "write into a folder with other files in it", false)
    .addHelpText(
      "after",
      "\nIt links to index.html. Pages that have not changed are not written again, so it can run from cron.",
    )
    .action(({ output, details, explain, force }: FolderOptions) =>
      invoke(load.report, { folder: output, details, explain, force }),
    );

  leaf(program, "ui", "serve a page to start, watch and answer threads, while it is open", [
    "uwf ui",
    "uwf ui --open",
    "uwf ui --port 7357",
  ])
    .option("--port <port>", "listen on this port of 127.0.0.1 (default: a free one)", wholeNumber(0, 65_535))
    .option("--open", "open the page in the browser", false)
    .option("--linger <time>", "end this long after the last page has closed (default: 30s)", period)
    .addHelpText("after", UI_HELP)
    .action(({ port, open, linger }: UiOptions) =>
      invoke(load.ui, { port: port ?? 0, open, lingerMs: linger ?? 30_000 }),
    );

  leaf(program, "log", "print what happened, failed runs included, oldest first", [
    "uwf log --since 2h",
    "uwf log --thread 01KAJ5E8 --limit 20",
    "uwf log --since 2026-01-31T08:00 --format yaml",
    "uwf log --follow",
    "uwf log --remote --thread 01KAJ5E8",
  ])
    .option("--thread <thread>", "only this thread", once("--thread"))
    .option("--since <when>", WHEN, once("--since"))
    .option("--follow", "keep printing new entries, one JSON line each, until interrupted", false)
    .option("--limit <count>", "show at most this many, newest kept", wholeNumber(0))
    .addOption(
      new Option(REMOTE_OPTION[0], `${REMOTE_OPTION[1]}; its newest 1000 entries without --limit`)
        .default(false)
        .conflicts(["follow"]),
    )
    .action(({ thread, since, limit, follow, remote }: LogOptions & OfRemote) => {
      const asked = { thread: thread ?? null, since: since ?? null, limit: limit ?? null };
      return remote ? invoke(load.logRemote, asked) : invoke(load.log, { ...asked, follow });
    });

  leaf(program, "doctor", "check storage root, configuration, agents and locks without changing anything", [
    "uwf doctor",
    "uwf doctor | jq '.findings[] | select(.status != \"ok\")'",
  ]).action(() => invoke(load.doctor, {}));
}

function workflowCommands(group: Command): void {
  defined(group, "workflow put");
  defined(group, "workflow validate");
  defined(group, "workflow schema");
  defined(group, "workflow test");
  defined(group, "workflow show");
  defined(group, "workflow graph");
  defined(group, "workflow diff");
  defined(group, "workflow history");
  defined(group, "workflow rollback");
  defined(group, "workflow rm");
  defined(group, "workflow list");
}

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
  workflowCommands(group(program, "workflow", "register and inspect workflows"));
  defined(program, "run");
  defined(program, "prompt");
  const threads = group(program, "thread", "start, step and read threads");
  threadCommands(threads);
  defined(threads, "thread export");
  defined(threads, "thread import");
  remoteCommands(group(program, "remote", "threads in PostgreSQL, for workers on several machines"), invoke);
  workerCommand(program, invoke);
  const cas = group(program, "cas", "the content-addressed store of this storage root");
  casCommands(cas);
  textCommand(cas, invoke);
  fileCommands(cas, invoke);
  operatorCommands(program, invoke);
  initCommand(program, invoke);
  setupCommand(program, invoke);
  completionCommands(program, invoke);
  skillCommand(program, invoke);
  helpCommand(program, invoke);
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

type SetupOptions = {
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly model?: string;
  readonly agent?: string;
};

function setupCommand(program: Command, invoke: Invoke): void {
  leaf(program, "setup", "write config.yaml and .env; asks if called without options", [
    "uwf setup",
    "uwf setup --agent uwf-claude",
    "uwf setup --provider openrouter --base-url https://openrouter.ai/api/v1 --model anthropic/claude-sonnet-4 --api-key - < key.txt",
  ])
    .option("--provider <name>", "name of the provider", once("--provider"))
    .option("--base-url <url>", "its OpenAI-compatible endpoint", once("--base-url"))
    .option("--api-key <key>", "- reads it from stdin", once("--api-key"))
    .option("--model <name>", "the model's name at the provider", once("--model"))
    .option(
      "--agent <command>",
      "the default agent; enough by itself if it has its own login",
      once("--agent"),
    )
    .action((options: SetupOptions) =>
      invoke(load.setup, {
        provider: options.provider ?? null,
        baseUrl: options.baseUrl ?? null,
        apiKey: options.apiKey ?? null,
        model: options.model ?? null,
        agent: options.agent ?? null,
      }),
    );
}

function initCommand(program: Command, invoke: Invoke): void {
  leaf(program, "init [name]", "write a workflow to begin with, and its scenarios, into .workflows/", [
    "uwf init",
    "uwf init review-report",
    "uwf init fix-bug --from solve-issue",
  ])
    .option("--from <template>", "another example to begin with (default: write-note)", once("--from"))
    .addHelpText("after", INIT_HELP)
    .action((name: string | undefined, { from }: { readonly from?: string }) =>
      invoke(load.init, { name: name ?? null, from: from ?? null }),
    );
}

const INIT_HELP = `
Without a name, the workflow is called like the current folder. No file is
overwritten; workflows that the template starts are written beside it.

Templates:
  write-note     three roles and a loop, with comments on everything
  analyze-topic  one role
  solve-issue    plan, develop, review
  develop        phases, tests, a commit
  publish-note   a person approves
  supervised     a role that chooses the next one
  ship-issue     a role played by another workflow (develop), and a person
  review-each    a role played by a thread per item (review-one)
  review-one     one of these
  document       a Word document, made or edited by programs
  write-report   a Word document by a model's edits, reviewed`;

function completionCommands(program: Command, invoke: Invoke): void {
  leaf(program, "completion <shell>", "print a completion script for bash, zsh or fish", [
    'eval "$(uwf completion bash)"',
    'eval "$(uwf completion zsh)"',
    "uwf completion fish | source",
  ]).action((shell: string) => invoke(load.completion, { shell }));
}

function skillCommand(program: Command, invoke: Invoke): void {
  leaf(program, "skill [part]", "print what a coding agent has to know about uwf, as Markdown", [
    "uwf skill > SKILL.md",
    "uwf skill author",
  ])
    .addHelpText("after", "\nParts: cli (use uwf), author (write a workflow), agent (write an agent)")
    .action((part: string | undefined) => invoke(load.skill, { part: part ?? null, program }));
}

function helpCommand(program: Command, invoke: Invoke): void {
  const topics = HELP_TOPICS.map(([name, summary]) => `  ${name.padEnd(14)}${summary}\n`).join("");
  const help = leaf(program, "help [topic...]", "show help for a command or a topic", [
    "uwf help thread step",
    "uwf help conditions",
  ]).addHelpText("after", `\nTopics:\n${topics}`);
  help.action(async (topic: readonly string[]) => {
    const [name = ""] = topic;
    if (topic.length === 1 && HELP_TOPICS.some(([each]) => each === name))
      return invoke(load.helpTopic, { name });
    if (topic.length === 0) return program.outputHelp();
    let command = program;
    for (const word of topic) {
      const next = command.commands.find((candidate) => candidate.name() === word);
      if (next === undefined) return command.error(unknownTopic(topic, command));
      command = next;
    }
    command.outputHelp();
  });
}

function unknownTopic(words: readonly string[], command: Command): string {
  const [word = ""] = words.slice(-1);
  const topics = words.length === 1 ? HELP_TOPICS.map(([name]) => name) : [];
  const meant = suggest(word, [...command.commands.map((each) => each.name()), ...topics]);
  return `unknown help topic '${words.join(" ")}'${meant === null ? "" : `, did you mean "${meant}"?`}`;
}
