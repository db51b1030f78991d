import { Command } from "commander";
import { mountCasGroup } from "../commands/index.js";
import { load } from "./load.js";
import { operatorCommands } from "./operator.js";
import { formatOptions, leaf, once } from "./options.js";
import { threadCommands } from "./thread.js";
import type { Invoke, ProgramParts } from "./types.js";
import { workflowCommands } from "./workflow.js";

/** The command line of uwf. Parsing throws commander's errors; see `parseFault`. */
export function buildProgram(parts: ProgramParts): Command {
  const program = formatOptions(new Command("uwf"))
    .description("A stateless, single-step workflow engine for AI agents.")
    .addHelpText("before", ROOT_EXAMPLES)
    .addHelpText("after", "\nExit codes: uwf help exit-codes")
    .option("-V, --version", "print the version")
    .configureOutput({ writeOut: parts.writeOut, writeErr: () => {} })
    .exitOverride()
    .enablePositionalOptions()
    .showSuggestionAfterError(true)
    .helpCommand(false);
  const invoke: Invoke = async (load, request) =>
    parts.finish(await (await load())(parts.context(), request));
  workflowCommands(group(program, "workflow", "register and look at workflows"), invoke);
  threadCommands(group(program, "thread", "start, step and read threads"), invoke);
  const cas = group(program, "cas", "the content-addressed store of this storage root");
  mountCasGroup(cas, { context: parts.context, print: parts.answer, configure: formatOptions });
  textCommand(cas, invoke);
  operatorCommands(program, invoke);
  setupCommand(program, invoke);
  completionCommands(program, invoke);
  helpCommand(program, invoke);
  return program;
}

const ROOT_EXAMPLES = `Examples:
  $ uwf setup
  $ uwf workflow put solve-issue.yaml
  $ uwf thread start solve-issue -p "Fix the login redirect"
  $ uwf thread step <thread>
  $ uwf thread read <thread>
`;

function group(program: Command, name: string, summary: string): Command {
  return formatOptions(program.command(name).description(summary))
    .enablePositionalOptions()
    .helpCommand(false);
}

/** Beside the group's own commands: a store of nodes knows nothing of our type of texts. */
function textCommand(cas: Command, invoke: Invoke): void {
  leaf(cas, "put-text [text]", "store a text, print {hash}: what a cas_ref field can refer to", [
    'uwf cas put-text "The parser, then its tests."',
    "uwf cas put-text --file plan.md",
    "git diff | uwf cas put-text -",
  ])
    .option("--file <path>", "the text is in this file", once("--file"))
    .action((text: string | undefined, { file }: { readonly file?: string }) =>
      invoke(load.casPutText, { text: text ?? null, file: file ?? null }),
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
  leaf(program, "setup", "write config.yaml and .env; without options it asks", [
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
      "the default agent; enough alone if it has a login of its own",
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

function completionCommands(program: Command, invoke: Invoke): void {
  leaf(program, "completion <shell>", "print a completion script for bash, zsh or fish", [
    'eval "$(uwf completion bash)"',
    'eval "$(uwf completion zsh)"',
    "uwf completion fish | source",
  ]).action((shell: string) => invoke(load.completion, { shell }));
}

function helpCommand(program: Command, invoke: Invoke): void {
  leaf(program, "help [topic...]", "help for a command, or for exit-codes", [
    "uwf help thread step",
    "uwf help exit-codes",
  ]).action(async (topic: readonly string[]) => {
    if (topic[0] === "exit-codes") return invoke(load.helpExitCodes, {});
    let command = program;
    for (const word of topic) {
      const next = command.commands.find((candidate) => candidate.name() === word);
      if (next === undefined) return command.error(`unknown help topic '${topic.join(" ")}'`);
      command = next;
    }
    command.outputHelp();
  });
}
