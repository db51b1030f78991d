import {
  Command as Commander,
  type CommanderError,
  Option as Flag,
  Argument as Given,
  InvalidArgumentError,
} from "commander";
import { type Argument, BadValue, type Command, type Option, type Words } from "./command.js";

// Commands and groups as what commander parses and prints. Words that were read from a file have no functions: such a
// command can be found and its help printed, and not run.

/** A program and the groups of its commands. */
export type Program = {
  readonly name: string;
  /** Adds to commander's root what no other level has. */
  readonly root: (root: Commander) => Commander;
  /** Adds the options that every level has, so that they may stand anywhere on the line. */
  readonly everywhere: (
    command: Commander,
    formats: readonly string[] | null,
    more: readonly string[],
  ) => Commander;
  readonly groups: Readonly<Record<string, Group>>;
  /** The commands and groups that help lists first; the others follow by name. */
  readonly first: readonly string[];
};

/** Commands that begin with the same word. */
export type Group = {
  readonly summary: string;
  readonly examples: readonly string[];
  readonly notes: string;
  /** The commands that help lists first; the others follow by name. */
  readonly first: readonly string[];
};

/** A command, the groups above it and the root: enough to parse a line that names it. */
export function parserFor(
  program: Program,
  words: Words,
): { readonly root: Commander; readonly leaf: Commander } {
  const root = rootOf(program);
  const names = words.path.split(" ");
  let parent = root;
  for (let depth = 1; depth < names.length; depth += 1)
    parent = addGroup(program, parent, names.slice(0, depth));
  return { root, leaf: addCommand(program, parent, words) };
}

/** All commands, for help and for a line that names none of them. */
export function parserForAll(program: Program, all: Iterable<Words>): Commander {
  const root = rootOf(program);
  const groups = new Map<string, Commander>([["", root]]);
  for (const words of all) {
    const names = words.path.split(" ");
    let parent = root;
    for (let depth = 1; depth < names.length; depth += 1) {
      const path = names.slice(0, depth).join(" ");
      const group = groups.get(path) ?? addGroup(program, parent, names.slice(0, depth));
      groups.set(path, group);
      parent = group;
    }
    addCommand(program, parent, words);
  }
  for (const [path, group] of groups)
    sortCommands(group, path === "" ? program.first : groupAt(program, path).first);
  return root;
}

function sortCommands({ commands }: Commander, first: readonly string[]): void {
  const rank = (command: Commander): number =>
    (first.indexOf(command.name()) + first.length + 1) % (first.length + 1);
  (commands as Commander[]).sort((a, b) => rank(a) - rank(b) || (a.name() < b.name() ? -1 : 1));
}

const UNKNOWN: Group = { summary: "", examples: [], notes: "", first: [] };

function groupAt(program: Program, path: string): Group {
  return program.groups[path] ?? UNKNOWN;
}

function rootOf({ name, root, everywhere }: Program): Commander {
  return root(everywhere(new Commander(name), null, []).exitOverride());
}

function addGroup(program: Program, parent: Commander, names: readonly string[]): Commander {
  const { summary, examples, notes } = groupAt(program, names.join(" "));
  const command = parent.command(names.at(-1) ?? "").description(summary);
  const group = program.everywhere(command, null, []).enablePositionalOptions();
  return withAround(group, examples, notes).helpCommand(false);
}

/** The command below its group, with its arguments, its options and the examples of its help. */
function addCommand(program: Program, parent: Commander, words: Words): Commander {
  const command = parent.command(words.path.split(" ").at(-1) ?? "").description(words.summary);
  const leaf = program.everywhere(command, words.formats, words.moreFormats);
  for (const [key, each] of Object.entries(words.arguments)) leaf.addArgument(toArgument(key, each));
  for (const [key, each] of Object.entries(words.options)) leaf.addOption(toFlag(key, each));
  return withAround(leaf, words.examples, words.notes);
}

function withAround(command: Commander, examples: readonly string[], notes: string): Commander {
  const lines = examples.map((example) => `  $ ${example}\n`).join("");
  if (lines !== "") command.addHelpText("before", `Examples:\n${lines}`);
  return notes === "" ? command : command.addHelpText("after", `\n${notes}`);
}

const BRACKETS = {
  one: ["<", ">"],
  "at most one": ["[", "]"],
  some: ["<", "...>"],
  any: ["[", "...]"],
} as const;

function toArgument(key: string, { name, takes, about }: Argument<unknown>): Given {
  const [open, close] = BRACKETS[takes];
  return new Given(`${open}${name ?? kebabCase(key)}${close}`, about ?? "");
}

function toFlag(key: string, each: Option<unknown>): Flag {
  const name = optionName(key, each);
  const flags = each.short === null ? name : `${each.short}, ${name}`;
  const option = new Flag(each.placeholder === null ? flags : `${flags} ${each.placeholder}`, each.about);
  if (each.required) option.makeOptionMandatory();
  if (each.conflicts.length > 0) option.conflicts([...each.conflicts]);
  // The help shows it; `readRequest` gives it.
  if (each.usual !== null)
    option.default(each.absent, each.usual === each.absent ? undefined : String(each.usual));
  if (each.placeholder === null) return option;
  return option.argParser((given: string, before: unknown) => readValue(name, each, given, before));
}

/** `--prompt-file` of `promptFile`, `--no-details` of a `details` that is on by default. */
export function optionName(key: string, { negated }: Pick<Option<unknown>, "negated">): string {
  return `--${negated ? "no-" : ""}${kebabCase(key)}`;
}

/** `promptFile` → `prompt-file`. */
function kebabCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function readValue(
  name: string,
  { again, read, usual, absent }: Option<unknown>,
  given: string,
  before: unknown,
): unknown {
  const isAgain = before !== undefined && !(usual !== null && before === absent);
  if (again === "mistake" && isAgain) throw new InvalidArgumentError(`${name} is given twice.`);
  const value = valid(() => (read === null ? given : read(given)));
  return again === "all" ? [...((before as readonly unknown[] | undefined) ?? []), value] : value;
}

function valid<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof BadValue ? new InvalidArgumentError(error.message) : error;
  }
}

/** Thrown for arguments and options that do not fit together; the sentence says which. */
export class BadUsage extends Error {}

/**
 * What commander found on the line, by the names that the command gave its parts. Only the command knows its type. Throws
 * `BadUsage`, and commander's error for an argument whose kind refuses it.
 */
export function readRequest<Context, Result, Code extends string>(
  { arguments: args, options, check }: Command<Context, Result, Code>,
  leaf: Commander,
): never {
  const found = leaf.opts<Readonly<Record<string, unknown>>>();
  const request = Object.fromEntries([
    ...Object.entries(args).map(([key, each], index) => [key, readArgument(leaf, key, each, index)]),
    ...Object.entries(options).map(([key, { absent }]) => [key, found[key] ?? absent]),
  ]) as never;
  const wrong = check(request);
  if (wrong !== null) throw new BadUsage(wrong);
  return request;
}

function readArgument(
  leaf: Commander,
  key: string,
  { name, value }: Argument<unknown>,
  index: number,
): unknown {
  const found: unknown = leaf.processedArgs[index];
  try {
    return value(found);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new InvalidArgumentError(
      `error: command-argument value '${String(found)}' is invalid for argument '${name ?? kebabCase(key)}'. ${error.message}`,
    );
  }
}

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
