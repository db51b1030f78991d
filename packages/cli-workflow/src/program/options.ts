import { type Command, InvalidArgumentError, Option } from "commander";

// Every level of the command line takes the two format options, so that they may stand anywhere on it.

export function formatOptions(command: Command): Command {
  return command
    .addOption(new Option("--format <format>", "how the result is printed").choices(["json", "yaml"]))
    .addOption(new Option("--error-format <format>", "how a failure is printed").choices(["text", "json"]));
}

/** A leaf command with its examples, which stand first in its help. */
export function leaf(parent: Command, usage: string, summary: string, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ ${example}\n`).join("");
  return formatOptions(parent.command(usage).description(summary)).addHelpText(
    "before",
    `Examples:\n${lines}`,
  );
}

/** An option that may be given once: a second one is a mistake, not an override. */
export function once(name: string): (value: string, previous: string | undefined) => string {
  return (value, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError(`${name} is given twice.`);
    return value;
  };
}

/** What `--since` takes, for the help. */
export const WHEN = "90s, 15m, 2h, 3d ago (a bare number: seconds); or a date or time in UTC";

export function wholeNumber(minimum: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number >= minimum) return number;
    throw new InvalidArgumentError(`It must be a whole number of at least ${minimum}.`);
  };
}

/** `--wait` alone waits without a bound (`true`), `--wait=30` for 30 seconds. */
export function seconds(value: string): number {
  const number = Number(value);
  if (/^\d+(\.\d+)?$/.test(value) && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number of seconds, as in --wait=30.");
}

/** Puts `--wait <thread>` right: only a number is the option's value, anything else is the next argument. */
export function bindWait(argv: readonly string[]): string[] {
  return argv.map((word, index) => {
    const next = argv[index + 1];
    const isFlag = word === "--wait" && argv[0] === "thread" && !VALUE_OPTIONS.has(argv[index - 1] ?? "");
    return isFlag && next !== undefined && !/^\d+(\.\d+)?$/.test(next) ? "--wait=" : word;
  });
}

const VALUE_OPTIONS: ReadonlySet<string> = new Set(["-p", "--prompt", "--prompt-file", "--agent"]);
