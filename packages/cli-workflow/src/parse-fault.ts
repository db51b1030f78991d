import { sentenceOf } from "@uncaged/command-line";
import { type Fault, fault } from "@uncaged/workflow-protocol";
import type { CommanderError } from "commander";
import { WORDS } from "./words.made.js";

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
  const sentence = sentenceOf(error).replace(
    /^unknown option '--json'$/,
    `$&, did you mean "--format json"?`,
  );
  if (words[1] === "answer" && error.code === "commander.excessArguments") {
    const field = argv.slice(3).find((word) => /^\w[\w.]*=/.test(word));
    if (field !== undefined)
      return fault("USAGE", {
        reason: `unexpected argument '${field}', did you mean "--field ${field}"?`,
        usage: helpHint(words),
      });
  }
  if (error.code === "commander.excessArguments")
    return fault("USAGE", { reason: sentence, usage: apart(words) });
  const unknown = error.code === "commander.unknownCommand" ? (argv[words.length] ?? "") : null;
  const other = unknown === null ? undefined : OF_OTHERS.get(unknown);
  if (other !== undefined && (words.length === 0 || words[0] === "thread")) {
    const reason = `unknown command '${unknown}', did you mean "${words.length === 0 ? "thread " : ""}${other}"?`;
    return fault("USAGE", { reason, usage: helpHint(["thread", other]) });
  }
  const group = unknown !== null && words.length === 0 ? groupOf(argv[0]) : null;
  if (group === null) return fault("USAGE", { reason: sentence, usage: helpHint(words) });
  const reason = `unknown command '${argv[0]}', did you mean "${group} ${argv[0]}"?`;
  return fault("USAGE", { reason, usage: helpHint([group, argv[0] ?? ""]) });
}

/** The shell has cut a text in pieces. */
function apart(words: readonly string[]): string {
  return `put a text with spaces in quotes, as in --prompt="fix the bug" or -p "fix the bug"; ${helpHint(words)}`;
}

/** What other programs call it: the nearest name of ours would be another command (`stop` is near `step`). */
const OF_OTHERS: ReadonlyMap<string, string> = new Map([
  ["cancel", "kill"],
  ["delete", "rm"],
  ["ls", "list"],
  ["remove", "rm"],
  ["status", "list"],
  ["stop", "pause"],
  ["threads", "list"],
]);

/** The group that has a command of this name: `uwf step` lacks only its `thread`. */
function groupOf(word: string | undefined): string | null {
  return ["thread", "workflow"].find((name) => isPath(`${name} ${word}`)) ?? null;
}

/** Words of the longest path: `cas schema put`. */
const DEEPEST = 3;

/** The leading words that name a command or a group: `thread step` of `thread step --fromat x`. */
function commandWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  const words = (end === -1 ? argv : argv.slice(0, end)).slice(0, DEEPEST);
  if (words[0] === "help") return [];
  const names = words.map((_, index) => words.slice(0, words.length - index));
  return names.find((each) => isPath(each.join(" "))) ?? [];
}

/** Whether a command or a group is called so. */
function isPath(name: string): boolean {
  return Object.keys(WORDS).some((path) => path === name || path.startsWith(`${name} `));
}

function helpHint(words: readonly string[]): string {
  return words.length === 0 ? "see `uwf --help`" : `see \`${["uwf", "help", ...words].join(" ")}\``;
}
