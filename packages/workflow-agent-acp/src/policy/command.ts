import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, isPlain, readLine, type Word } from "../shell.js";
import { hasParent, isInside, real } from "./boundary.js";
import { expand, isFolder, isRead, isWritable } from "./operands.js";
import { GIT, PROGRAMS, type Program } from "./programs.js";
import { isHarmlessRepository } from "./repository.js";
import type { PathBases, Policy } from "./types.js";

// A command is allowed only if every program and every option in it is known, and every path stays inside. This trusts
// the system's programs; it is not a sandbox.

/** Nested shells; nobody needs more. */
const DEEPEST = 3;

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh"]);

const PROGRAM_FOLDERS = /^\/(?:usr\/(?:local\/)?)?s?bin\/(?=[^/]+$)/;

/** The part of a shell line that may lead outside; `null`: all of it stays inside. */
export function unprovedInLine(line: string, place: PathBases, policy: Policy, depth = 0): string | null {
  const read = readLine(line);
  if (!read.ok) return read.what;
  const [first, ...rest] = read.commands;
  if (first?.words[0]?.text !== "cd") return unprovedIn(read.commands, place, policy, depth);
  const inner = enter(first, rest, place);
  return inner === null ? shown(first.words) : unprovedIn(rest, inner, policy, depth);
}

/** The same for a command already split into words. Some tools join it again, so no word may need quotes. */
export function unprovedInWords(words: readonly string[], place: PathBases, policy: Policy): string | null {
  const all = words.map((text) => ({ text, glob: false }));
  const bad = (scriptOf(all) === null ? words : words.slice(0, 2)).find((word) => !isPlain(word));
  if (bad !== undefined) return `the word "${bad.slice(0, 100)}"`;
  return unprovedIn([{ words: all, redirects: [], next: null }], place, policy, 0);
}

/** The folders that a `cd` at the beginning of the line leads to. */
export function enteredBy(line: string, place: PathBases): readonly string[] {
  const read = readLine(line);
  const [first, ...rest] = read.ok ? read.commands : [];
  if (first?.words[0]?.text !== "cd") return [];
  // Skip missing folders, or their number would multiply with each `cd`.
  return (enter(first, rest, place)?.bases ?? []).filter(isFolder);
}

/** The folder after a `cd` at the beginning; both folders if the rest also runs when `cd` fails. */
function enter(
  { words, redirects, next }: Command,
  rest: readonly Command[],
  place: PathBases,
): PathBases | null {
  const [, target] = words;
  if (target === undefined || target.glob || words.length > 2 || redirects.length > 0) return null;
  // Shells and the system disagree on what `link/..` is.
  if (!/^[./\w]/.test(target.text) || hasParent(target.text) || !isRead(target.text, place)) return null;
  if (next === "||" || next === "|") return null;
  const bases = place.bases.map((base) => resolve(base, target.text));
  const always = [next, ...rest.map((command) => command.next)].every((one) => one !== ";" && one !== "||");
  return { ...place, bases: always ? bases : [...place.bases, ...bases] };
}

function unprovedIn(
  commands: readonly Command[],
  place: PathBases,
  policy: Policy,
  depth: number,
): string | null {
  for (const [index, command] of commands.entries()) {
    const others = commands.filter((one) => one !== command);
    const what = unproved(command, others, place, policy, depth);
    if (what !== null) return what;
    if (index < commands.length - 1 && effectOf(command) === "moves") {
      return `what follows "${command.words[0]?.text}"`;
    }
  }
  return null;
}

function unproved(
  { words, redirects }: Command,
  others: readonly Command[],
  place: PathBases,
  policy: Policy,
  depth: number,
): string | null {
  const away = redirects.find(
    ({ to, path }) => !(to === "read" ? isRead(path, place) : isTarget(path, place)),
  );
  if (away !== undefined) return `"${away.path}"`;
  if (policy.commands.some((rule) => matches(rule, words))) return null;
  const [name, ...rest] = words;
  if (name === undefined || name.glob || !isOfTheSystem(name.text, place, policy)) return shown(words);
  const script = scriptOf(words);
  if (script !== null) {
    return depth < DEEPEST ? unprovedInLine(script, place, policy, depth + 1) : shown(words);
  }
  if (rest.some((word) => word.glob) && others.some((one) => effectOf(one) !== "none")) return shown(words);
  // The shell expands them whatever the program does.
  if (rest.some((word) => word.glob && !isRead(folderOf(word.text), place))) return shown(words);
  const expanded = rest.map((word) => expand(word, place));
  if (expanded.includes(null)) return shown(words);
  const args = expanded.flatMap((list) => list ?? []);
  const [program, own] = programOf(name.text, args);
  if (program === undefined || own === null) return shown(words);
  if (
    basename(name.text) === "git" &&
    !place.bases.every((base) => isHarmlessRepository(real(base), place.cwd))
  ) {
    return shown(words);
  }
  const what = unprovedOperand(program, own, place);
  return what === null ? null : `"${what.slice(0, 100)}" in ${shown(words)}`;
}

function folderOf(pattern: string): string {
  return pattern.slice(0, pattern.lastIndexOf("/") + 1) || ".";
}

function isTarget(path: string, place: PathBases): boolean {
  return path === "/dev/null" || isWritable(path, place);
}

/** Whether a rule matches: exactly these words, or any after a last `*`. */
function matches(rule: readonly string[], words: readonly Word[]): boolean {
  const open = rule.at(-1) === "*";
  const named = open ? rule.slice(0, -1) : rule;
  if (open ? words.length < named.length : words.length !== named.length) return false;
  return named.every((text, index) => words[index]?.text === text && !words[index]?.glob);
}

/** The script in `bash -lc script`. */
function scriptOf([shell, option, script, ...rest]: readonly Word[]): string | null {
  if (shell === undefined || option === undefined || script === undefined || rest.length > 0) return null;
  if (!SHELLS.has(basename(shell.text)) || !/^-l?c$/.test(option.text)) return null;
  return [shell, option, script].some(({ glob }) => glob) ? null : script.text;
}

function programOf(
  name: string,
  args: readonly Word[],
): readonly [Program | undefined, readonly Word[] | null] {
  if (basename(name) !== "git") return [PROGRAMS.get(basename(name)), args];
  const [head, ...rest] = args[0]?.text === "--no-pager" ? args.slice(1) : args;
  if (head?.text === "--version" && rest.length === 0) return [PROGRAMS.get("true"), []];
  return [GIT.get(head?.text ?? ""), head?.glob === false ? rest : null];
}

function effectOf({ words, redirects }: Command): Program["effect"] {
  const effect = PROGRAMS.get(basename(words[0]?.text ?? ""))?.effect ?? "none";
  return effect === "none" && redirects.some(({ to }) => to === "write") ? "makes" : effect;
}

/** An operand or option that may lead outside. */
function unprovedOperand(program: Program, args: readonly Word[], place: PathBases): string | null {
  if (program.flags === null) return program.operands(args, place);
  const operands: Word[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as Word;
    if (word.text === "--" && !word.glob)
      return program.operands([...operands, ...args.slice(at + 1)], place);
    if (!word.text.startsWith("-") || word.text === "-") operands.push(word);
    else {
      const takes = optionTakes(word.text, program);
      if (takes === null || word.glob) return word.text;
      at += takes;
      if (takes > 0 && args[at]?.glob !== false) return word.text;
    }
  }
  return program.operands(operands, place);
}

/** How many more words belong to the option; `null`: unknown option. */
function optionTakes(word: string, { flags, values, long }: Program): number | null {
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    return long.includes(word.slice(2, equals < 0 ? undefined : equals + 1)) ? 0 : null;
  }
  if (/^-\d+$/.test(word) && flags?.includes("#")) return 0;
  for (const [index, letter] of [...word.slice(1)].entries()) {
    if (values.includes(letter)) return index === word.length - 2 ? 1 : 0;
    if (letter === "#" || !flags?.includes(letter)) return null;
  }
  return 0;
}

/** A name or a path of a system program, not shadowed on PATH by a file of the working folder. */
function isOfTheSystem(name: string, { cwd, bases }: PathBases, { path }: Policy): boolean {
  if (name.includes("/")) return PROGRAM_FOLDERS.test(name);
  return path.split(":").every((folder) =>
    bases.every((base) => {
      const file = resolve(base, folder, name);
      return !existsSync(file) || !isInside(cwd, base, file);
    }),
  );
}

function basename(name: string): string {
  return name.replace(PROGRAM_FOLDERS, "");
}

function shown(words: readonly Word[]): string {
  const text = words.map((word) => word.text).join(" ");
  return `"${text.slice(0, 100)}"`;
}
