import type { Words } from "./command.js";
import { optionName } from "./commander.js";

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
  const groups = new Set([...paths].flatMap(pathsAbove));
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
    if (!groups.has(path)) return null;
  }
  return null;
}

/** The groups that a path goes through: `cas` and `cas file` of `cas file put`. */
function pathsAbove(path: string): readonly string[] {
  const names = path.split(" ");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join(" "));
}

/**
 * A line in which each option whose value may be left out has it bound to itself: of `--wait <thread>`, where only a number
 * is its value, commander would take the thread for one.
 */
export function bindOptional(
  argv: readonly string[],
  { options }: Pick<Words, "options">,
): readonly string[] {
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
