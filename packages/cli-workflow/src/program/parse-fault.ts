import { type Fault, fault } from "@uncaged/workflow-protocol";
import type { CommanderError } from "commander";
import { GROUPS, ROOT_WORDS } from "../commands/index.js";

/** A commander error as a usage fault; `null` when it only says that help was printed. */
export function parseFault(error: CommanderError, argv: readonly string[]): Fault | null {
  if (error.exitCode === 0) return null;
  const words = commandWords(argv);
  if (error.code === "commander.help") {
    return fault("USAGE", {
      reason: `${["uwf", ...words].join(" ")} needs a subcommand`,
      usage: helpHint(words),
    });
  }
  const sentence = error.message
    .replace(/^error: /, "")
    .replace(/\n?\(Did you mean (.+?)\?\)/, ', did you mean "$1"?')
    .trim();
  const group = error.code === "commander.unknownCommand" && words.length === 0 ? groupOf(argv[0]) : null;
  if (group === null) return fault("USAGE", { reason: sentence, usage: helpHint(words) });
  const reason = `unknown command '${argv[0]}', did you mean "${group} ${argv[0]}"?`;
  return fault("USAGE", { reason, usage: helpHint([group, argv[0] ?? ""]) });
}

/** The group that has a command of this name: `uwf step` lacks only its `thread`. */
function groupOf(word: string | undefined): string | null {
  return ["thread", "workflow"].find((name) => GROUPS[name]?.includes(word ?? "")) ?? null;
}

/** The leading words that name the command: `thread step` of `thread step --fromat x`. */
function commandWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  const words = (end === -1 ? argv : argv.slice(0, end)).slice(0, 2);
  const [first, second] = words;
  if (first === undefined || !ROOT_WORDS.includes(first) || first === "help") return [];
  const isCommand = first !== "completion" && second !== undefined && (GROUPS[first] ?? []).includes(second);
  return isCommand ? [first, second] : [first];
}

function helpHint(words: readonly string[]): string {
  return words.length === 0 ? "see `uwf --help`" : `see \`${["uwf", "help", ...words].join(" ")}\``;
}
