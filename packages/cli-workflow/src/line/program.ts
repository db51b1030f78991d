import type { Program, Words } from "@uncaged/command-line";
import type { ExitCode } from "@uncaged/workflow-protocol";
import { type Command, Help, Option, type OutputConfiguration } from "commander";
import type { TextSink } from "../io.js";
import { FIRST, GROUPS } from "./groups.js";
import { HELP_TOPICS } from "./topics.js";

/** Values of `--format` of a command that has none of its own. */
const FORMATS: readonly string[] = ["json", "yaml", "text"];

/** The options of every command that have a value, with their values. */
export const EVERYWHERE = {
  "--format": FORMATS,
  "--color": ["auto", "always", "never"],
  "--error-format": ["text", "json"],
} as const;

export const VALUED: ReadonlySet<string> = new Set(Object.keys(EVERYWHERE));

/** Every level of the command line has the format options, so they may stand anywhere. */
export function everywhere(
  command: Command,
  formats: readonly string[] | null,
  more: readonly string[],
): Command {
  const usual = formats?.[0] ?? "text on a terminal, else json";
  const format = new Option("--format <format>", `how the result is printed (default: ${usual})`);
  return command
    .addOption(format.choices([...(formats ?? FORMATS), ...more]))
    .addOption(
      new Option("--color <when>", "color of text (default: auto, which respects NO_COLOR)").choices(
        EVERYWHERE["--color"],
      ),
    )
    .addOption(
      new Option("--error-format <format>", "how a failure is printed").choices(EVERYWHERE["--error-format"]),
    )
    .configureHelp({ visibleOptions: ownFirst });
}

/** A page shows the options of every command below its own. */
function ownFirst(this: Help, command: Command): Option[] {
  const all = new Help().visibleOptions(command);
  const isCommon = ({ long }: Option): boolean => long === "--help" || VALUED.has(long ?? "");
  return [...all.filter((option) => !isCommon(option)), ...all.filter(isCommon)];
}

const EXAMPLES = `Examples:
  $ uwf init door-sign
  $ uwf workflow test door-sign
  $ uwf run door-sign -p "Tell everybody when the office is closed"
`;

const TOPICS = `
Topics of uwf help:
${Object.keys(HELP_TOPICS).join(", ")}
To choose who plays the roles: uwf setup. For a coding agent: uwf skill`;

/** The program whose help goes to `stdout`. */
export function programOn(stdout: Pick<TextSink, "write" | "columns">): Program {
  return {
    name: "uwf",
    everywhere,
    root: (root) =>
      root
        .description("A stateless, single-step workflow engine for AI agents.")
        .addHelpText("before", EXAMPLES)
        .addHelpText("after", TOPICS)
        .option("-V, --version", "print the version")
        .configureOutput(outputTo(stdout))
        .enablePositionalOptions()
        .showSuggestionAfterError(true)
        .helpCommand(false),
    groups: GROUPS,
    first: FIRST,
  };
}

/** Left to itself, commander asks process.stdout, which loads the streams of Node.js and node:tty. */
function outputTo({ write, columns }: Pick<TextSink, "write" | "columns">): OutputConfiguration {
  return {
    writeOut: write,
    writeErr: () => {},
    getOutHelpWidth: () => columns() ?? 80,
    getOutHasColors: () => false,
  };
}

/** Every command may end with these: done, a bug, bad usage, damage, I/O. */
export const COMMON_EXITS: readonly ExitCode[] = [0, 1, 2, 7, 74];

/**
 * The words of a command with what only its page of help has: a sample of its output, and its exit codes in
 * addition to the common ones.
 */
export function pageOf(words: Words, exitCodes: readonly number[]): Words {
  const sample = sampleText(words);
  const parts = [
    ...(words.notes === "" ? [] : [words.notes]),
    ...(sample === "" ? [] : [`Output:\n${sample.replace(/^(?=.)/gm, "  ")}`]),
    ...(exitCodes.length === 0
      ? []
      : [
          `Exit codes: ${[...COMMON_EXITS, ...exitCodes].sort((a, b) => a - b).join(", ")}; see uwf help exit-codes`,
        ]),
  ];
  return { ...words, notes: parts.join("\n\n").replace(/\n{3}/g, "\n\n") };
}

/** The sample's command and what it prints; empty without one. */
export function sampleText({ sample }: Pick<Words, "sample">): string {
  return sample === null ? "" : `$ uwf ${sample.line}\n${sample.prints}\n`;
}

/** The words of a command, as they were written down when uwf was built: without functions. */
export type CommandWords = Words & {
  /** In addition to those of every command, ascending. */
  readonly exitCodes: readonly number[];
};
