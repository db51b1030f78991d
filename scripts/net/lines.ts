import type { Ran } from "./runner.js";
import { ofStore, states } from "./states.js";

export type Line = {
  readonly kind: string;
  readonly program: string;
  readonly words: readonly string[];
  /** The storage root, a folder of the world. */
  readonly root: string;
};

type Option = { readonly name: string; readonly short: string | null; readonly takes: string | null };

type Command = {
  readonly path: readonly string[];
  readonly isGroup: boolean;
  /** `<thread>`, `[text]`, `<file...>`. */
  readonly arguments: readonly string[];
  readonly options: readonly Option[];
};

type Add = (kind: string, ...words: string[]) => void;

type Ask = (line: Line) => Promise<Ran>;

/** Every level has them. */
const SHARED = new Set(["--format", "--color", "--error-format", "--help"]);

/** What waits for somebody, unless a word of it is wrong. */
const ENDLESS = /^(ui|worker|thread live|setup|log .*--follow|log .*-f)\b/;

/** Words alone, and what is a topic or a command of others. */
const WORDS = `toString|cancel|ls|stats|--versio|-v|-V|--version|help toString|help thread x|-- thread list|thread -- list
-V thread list|thread list --|thread step --wait|thread step --wait zzz|thread step zzz --wait 1x|-- --help|help --`;

/**
 * Every line, in the order of the commands: what the programs say of themselves decides which there are. `threads` are those
 * of the world, `programs` those that are no command line of many commands.
 */
export async function linesOf(
  ask: Ask,
  threads: readonly string[],
  programs: readonly string[],
): Promise<readonly Line[]> {
  const lines = new Map<string, Line>();
  const put = (line: Line): void =>
    void lines.set(`${line.root} ${line.program} ${JSON.stringify(line.words)}`, line);
  for (const program of ["uwf", "json-cas"]) {
    const before = program === "uwf" ? [] : ["--store", "store"];
    const add: Add = (kind, ...words) => {
      if (MAY_WAIT.has(kind) || !ENDLESS.test(words.join(" "))) put({ kind, program, words, root: "root" });
    };
    for (const command of await commandsOf(ask, program, [])) {
      help(add, command);
      if (program === "uwf") completion(add, command);
      wrong((kind, ...words) => add(kind, ...before, ...words), command);
    }
    for (const topic of await topicsOf(ask, program)) add("help", "help", topic);
    for (const line of WORDS.split(/[|\n]/)) add("wrong words", ...line.split(" "));
  }
  states((kind, words, root) => put({ kind, program: "uwf", words, root }), threads);
  ofStore((kind, words, root) => put({ kind, program: "json-cas", words, root }));
  for (const program of programs)
    for (const words of [
      ["--help"],
      ["-h"],
      ["--version"],
      [],
      ["--zzz"],
      ["zzz"],
      ["zzz", "zzz"],
      ["@active", "zzz"],
    ])
      put({ kind: "other programs", program, words, root: "root" });
  for (const line of AS_PROCESSES.split("|"))
    put({ kind: "processes", program: "bin/uwf", words: line.split(" "), root: "root" });
  return [...lines.values()];
}

/** No line of these kinds comes to the point where it would wait. */
const MAY_WAIT: ReadonlySet<string> = new Set(["help", "completion", "wrong words"]);

/** Started by the launcher, as people do: whether a process does the same. */
const AS_PROCESSES =
  "--help|thread --help|thread show --help|help thread|--version|__complete thread |__complete thread show |thread list|thread show @active|thread next @stuck|zzz|thread step zzz|thread show";

async function commandsOf(ask: Ask, program: string, path: readonly string[]): Promise<readonly Command[]> {
  const { out } = await ask({ kind: "help", program, words: [...path, "--help"], root: "root" });
  const [, usage = ""] = /^Usage: (.*(?:\n {2,}.*)*)/m.exec(out) ?? [];
  const section = (name: string): string =>
    new RegExp(`^${name}:\\n((?: .*\\n|\\n(?= ))*)`, "m").exec(out)?.[1] ?? "";
  const options = [...section("Options").matchAll(/^ {2}(?:(-\w), )?(--[a-z-]+)(?: ([<[][^\s]+))?/gm)];
  const command = {
    path,
    arguments: (usage.match(/[<[][^\s]+/g) ?? []).filter(
      (word) => word !== "[options]" && word !== "[command]",
    ),
    options: options.map(([, short = null, name = "", takes = null]) => ({ name, short, takes })),
    isGroup: section("Commands") !== "",
  };
  const found: Command[] = [command];
  for (const [, word = ""] of section("Commands").matchAll(/^ {2}([a-z][a-z-]*)/gm))
    if (word !== "help") found.push(...(await commandsOf(ask, program, [...path, word])));
  return found;
}

async function topicsOf(ask: Ask, program: string): Promise<readonly string[]> {
  const { out } = await ask({ kind: "help", program, words: ["--help"], root: "root" });
  return /^Topics of .*:\n(.*)$/m.exec(out)?.[1]?.split(", ") ?? [];
}

function help(add: Add, { path }: Command): void {
  const [first = "", ...rest] = path;
  add("help", ...path, "--help");
  add("help", ...path, "-h");
  add("help", "help", ...path);
  add("help", ...path, "--help", "--format", "json");
  add("help", "--format", "json", ...path, "--help");
  add("help", ...path, "--help", "zzz");
  add("help", ...path, "zzz", "--help");
  add("help", ...path, "--zzz", "--help");
  add("help", ...path, "--help", "--zzz");
  add("help", ...path, "--", "--help");
  add("help", "--help", ...path);
  add("help", "help", ...path, "zzz");
  if (path.length > 1) add("help", first, "--help", ...rest);
  if (path.length > 1) add("help", first, "help", ...rest);
}

/** What is typed before the word that is to be completed. */
const BEFORE = ["@active", "solve-issue"];

function completion(add: Add, { path, options }: Command): void {
  const ask = (...words: string[]): void => add("completion", "__complete", ...words);
  ask(...path);
  ask(...path, "");
  ask("--described", ...path, "");
  for (const prefix of ["-", "--", "--f", "--z", "a", "s", "0", "latest"]) ask(...path, prefix);
  for (const word of BEFORE) {
    ask(...path, word, "");
    ask("--described", ...path, word, "");
    ask(...path, word, "-");
  }
  ask(...path, "--", "");
  for (const { name, short, takes } of options) {
    ask(...path, name);
    ask(...path, name, "");
    ask(...path, name, "x", "");
    ask(...path, "@active", name, "");
    ask("--described", ...path, "solve-issue", name, "");
    if (takes !== null) ask(...path, `${name}=`);
    if (short !== null) ask(...path, short, "");
  }
}

/** One value that most options take. */
const VALUES = ["1", "zzz", "-1", "", "1.5x", "1h"];

function wrong(add: Add, { path, arguments: takes, options, isGroup }: Command): void {
  for (const words of [
    ["--zzz"],
    ["--json"],
    ["-z"],
    ["--format", "xml"],
    ["--format"],
    ["--error-format", "xml"],
    ["--color", "x"],
  ])
    add("wrong words", ...path, ...words);
  add("wrong words", "--zzz", ...path);
  if (isGroup) {
    for (const words of [[], ["zzz"], ["ls"], ["shwo"], ["--format", "json"]])
      add("wrong words", ...path, ...words);
    return;
  }
  const given = takes.filter((each) => each.startsWith("<") || path[0] === "thread").map(() => "zzz-none");
  const runs = ENDLESS.test(path.join(" ")) ? ["--zzz"] : [];
  const needed = takes.filter((each) => each.startsWith("<")).length;
  for (let count = 0; count < needed; count += 1) add("arguments", ...path, ...given.slice(0, count));
  if (!takes.some((each) => each.includes("...")))
    add("arguments", ...path, ...takes.map(() => "zzz-none"), "extra", ...runs);
  if (given.length > 0) {
    add("arguments", ...path, ...given);
    add("arguments", ...path, ...given, "--error-format", "json");
  }
  const own = options.filter(({ name }) => !SHARED.has(name));
  const typed = ({ name, takes: value }: Option): readonly string[] =>
    value === null ? [name] : [name, "1"];
  for (const option of own) {
    const { name, short, takes: value } = option;
    add("wrong words", ...path, ...given, `${name}x`);
    add("wrong words", ...path, ...given, name.slice(0, -1));
    if (short !== null) add("values", ...path, ...given, short, "1", "--zzz");
    if (value === null) add("values", ...path, ...given, `${name}=x`);
    else add("values", ...path, ...given, name);
    if (value !== null) for (const each of VALUES) add("values", ...path, ...given, `${name}=${each}`);
    add("values", ...path, ...given, ...typed(option), ...typed(option), ...runs);
  }
  for (const [at, left] of own.entries())
    for (const right of own.slice(at + 1)) add("pairs", ...path, ...given, ...typed(left), ...typed(right));
}
