import type { Command as Commander, CommanderError } from "commander";
import type { Command, Words } from "./command.js";
import { optionName, type Program, parserFor, readRequest } from "./commander.js";

/**
 * The path of the command that a line names: `thread show` of `--format json thread show 01K`; `null`: it names none, or an
 * option that no group has comes before it.
 * @param valued - options of every level that have a value
 */
export function findPath(
  argv: readonly string[],
  paths: ReadonlySet<string>,
  valued: ReadonlySet<string>,
): string | null {
  let path = "";
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") continue;
    if (word.startsWith("-")) {
      if (valued.has(word)) at += 1;
      else if (!valued.has(word.replace(/=.*$/s, ""))) return null;
      continue;
    }
    // A quoted `thread list` is one word.
    if (word.includes(" ")) return null;
    path = path === "" ? word : `${path} ${word}`;
    if (paths.has(path)) return path;
    const group = `${path} `;
    if (![...paths].some((each) => each.startsWith(group))) return null;
  }
  return null;
}

/**
 * A line in which each option whose value may be left out has it bound to itself: of `--wait <thread>`, where only a number
 * is its value, commander would take the thread for one.
 */
function bindOptional(argv: readonly string[], { options }: Pick<Words, "options">): readonly string[] {
  const named = Object.entries(options).map(([key, option]) => ({
    ...option,
    name: optionName(key, option),
  }));
  const bound = new Set(
    named.filter(({ placeholder }) => placeholder?.startsWith("[")).map(({ name }) => name),
  );
  if (bound.size === 0) return argv;
  const valued = new Set(
    named
      .filter(({ placeholder }) => placeholder?.startsWith("<"))
      .flatMap(({ name, short }) => (short === null ? [name] : [name, short])),
  );
  return argv.map((word, at) => {
    const next = argv[at + 1];
    const isAlone = bound.has(word) && !valued.has(argv[at - 1] ?? "");
    return isAlone && !/^\d+(\.\d+)?$/.test(next ?? "") ? `${word}=` : word;
  });
}

/** A line that names a command, as commander has parsed it. */
export type ParsedLine = {
  readonly root: Commander;
  readonly leaf: Commander;
  /** As the command's `run` takes it; only the command knows its type. */
  readonly request: never;
};

/**
 * Parses a line that names this command. `page`: its words with what help says beyond them. Throws `BadUsage`, and commander's
 * errors, one of which says that help was printed.
 */
export function parseLine<Context, Result, Code extends string>(
  program: Program,
  command: Command<Context, Result, Code>,
  argv: readonly string[],
  page: Words = command,
): ParsedLine {
  const { root, leaf } = parserFor(program, page);
  leaf.action(() => {});
  root.parse(bindOptional(argv, command), { from: "user" });
  return { root, leaf, request: readRequest(command, leaf) };
}

/** What commander says is wrong with a line, as one sentence without `error: `. */
export function sentenceOf(error: CommanderError): string {
  return error.message
    .replace(/^error: /, "")
    .replace(/\n?\(Did you mean (.+?)\?\)/, ', did you mean "$1"?')
    .trim();
}
