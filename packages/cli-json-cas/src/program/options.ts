import { type Command, Option } from "commander";

/** The options that may stand anywhere on the line. */
export function globalOptions(program: Command): Command {
  return program
    .option("--store <dir>", "folder of the store (or JSON_CAS_STORE); made when the first node is written")
    .addOption(new Option("--format <format>", "how the result is printed").choices(["json"]))
    .addOption(new Option("--error-format <format>", "how a failure is printed").choices(["text", "json"]));
}
