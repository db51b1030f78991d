import type { CommanderError } from "commander";
import type { UsageFault } from "../fault/index.js";

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
