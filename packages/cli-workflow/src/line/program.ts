import type { Program } from "@uncaged/command-line";
import { type Command, Help, Option, type OutputConfiguration } from "commander";
import type { TextSink } from "../io.js";

/** The options of every command that have a value. */
export const VALUED: ReadonlySet<string> = new Set(["--format", "--color", "--error-format"]);

const FORMATS = ["json", "yaml", "text"];

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
      new Option("--color <when>", "color of text (default: auto, which respects NO_COLOR)").choices([
        "auto",
        "always",
        "never",
      ]),
    )
    .addOption(new Option("--error-format <format>", "how a failure is printed").choices(["text", "json"]))
    .configureHelp({ visibleOptions: ownFirst });
}

/** A page shows the options of every command below its own. */
function ownFirst(this: Help, command: Command): Option[] {
  const all = new Help().visibleOptions(command);
  const isCommon = ({ long }: Option): boolean => long === "--help" || VALUED.has(long ?? "");
  return [...all.filter((option) => !isCommon(option)), ...all.filter(isCommon)];
}

/** The program whose help goes to `stdout`. */
export function programOn(stdout: Pick<TextSink, "write" | "columns">): Program {
  return {
    name: "uwf",
    everywhere,
    root: (root) =>
      root
        .configureOutput(outputTo(stdout))
        .enablePositionalOptions()
        .showSuggestionAfterError(true)
        .helpCommand(false),
    groups: {},
    first: [],
  };
}

/** Left to itself, commander asks process.stdout, which loads the streams of Node.js and node:tty. */
export function outputTo({ write, columns }: Pick<TextSink, "write" | "columns">): OutputConfiguration {
  return {
    writeOut: write,
    writeErr: () => {},
    getOutHelpWidth: () => columns() ?? 80,
    getOutHasColors: () => false,
  };
}
