import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Word } from "../shell.js";
import { asTold, isInside, whereIs } from "./boundary.js";
import type { PathBases } from "./types.js";

// Rules for the operands of a program. Each returns the word that may lead outside, or null.

export type Operands = (words: readonly Word[], place: PathBases) => string | null;

/** Each star multiplies the time of a match by the length of a name. */
const MOST_STARS = 4;

const EMPTY = new Set(["-", "/dev/null"]);

/** Files to read: stdin, or inside. */
export const reads: Operands = (words, place) => firstOf(words, (path) => !isRead(path, place));

/** Only files: some programs follow links in a folder. */
export const readsFiles: Operands = (words, place) =>
  firstOf(words, (path) => !isRead(path, place) || place.bases.some((base) => isFolder(asTold(base, path))));

/** Files to create, change or remove. */
export const writes: Operands = (words, place) => firstOf(words, (path) => !isWritable(path, place));

/** Words that do not name files and that no shell expands. */
export const texts: Operands = (words) => firstOf(words, (text) => /[$`]/.test(text));

export const anything: Operands = () => null;

export const none: Operands = (words) => words[0]?.text ?? null;

export function atMost(count: number, operands: Operands): Operands {
  return (words, place) => words[count]?.text ?? operands(words, place);
}

/** A pattern or a script, then files to read. */
export function after(first: RegExp, operands: Operands): Operands {
  return ([head, ...rest], place) => {
    if (head === undefined) return null;
    return head.glob || !first.test(head.text) ? head.text : operands(rest, place);
  };
}

/** One or more words of one form: without any some programs run what they read from stdin. */
export function words(form: RegExp): Operands {
  return (all) => {
    if (all.length === 0) return "a missing word";
    return all.find((word) => word.glob || !form.test(word.text))?.text ?? null;
  };
}

/** `test -f path`, `test -n text`. */
export const test: Operands = ([operator, ...rest], place) => {
  const check = operator === undefined || rest.length !== 1 ? null : TESTS.get(operator.text);
  return check === undefined || check === null ? (operator?.text ?? "test") : check(rest, place);
};

const TESTS: ReadonlyMap<string, Operands> = new Map([
  ...["-e", "-f", "-d", "-s", "-r", "-w", "-x"].map((name) => [name, reads] as const),
  ...["-n", "-z"].map((name) => [name, texts] as const),
]);

/** Folders, then an expression of tests that neither run nor write anything. */
export const find: Operands = (all, place) => {
  const begin = all.findIndex(({ text }) => text.startsWith("-") || text === "!");
  const expression = begin < 0 ? [] : all.slice(begin);
  for (let at = 0; at < expression.length; at += 1) {
    const { text = "", glob = true } = expression[at] ?? {};
    if (glob || !(FIND_ALONE.has(text) || FIND_VALUE.has(text))) return text;
    if (!FIND_VALUE.has(text)) continue;
    at += 1;
    if (expression[at]?.glob !== false) return text;
  }
  return reads(begin < 0 ? all : all.slice(0, begin), place);
};

const FIND_ALONE = new Set([
  "-print",
  "-print0",
  "-not",
  "!",
  "-o",
  "-or",
  "-a",
  "-and",
  "-prune",
  "-empty",
  "-ls",
]);

const FIND_VALUE = new Set(
  "-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -perm -regex".split(" "),
);

/** Sources and a target. An existing target may be a link that the copy would follow. */
export function transfers(isSource: (path: string, place: PathBases) => boolean): Operands {
  return (all, place) => {
    const target = all.at(-1);
    if (target === undefined || all.length < 2) return target?.text ?? "a missing target";
    if (target.glob || !isWritable(target.text, place)) return target.text;
    const bad = (source: string): boolean =>
      !isSource(source, place) || !staysApart(source, target.text, place);
    return firstOf(all.slice(0, -1), bad);
  };
}

/** Whether the target name is not a link and the source is not merged into an existing folder. */
function staysApart(source: string, target: string, place: PathBases): boolean {
  if (/(?:^|\/)\.{1,2}\/*$/.test(source)) return false;
  const below = join(target, basename(source));
  if (!isWritable(below, place)) return false;
  return place.bases.every((base) => {
    const end = asTold(base, isFolder(asTold(base, target)) ? below : target);
    return !isFolder(asTold(base, source)) || !exists(end);
  });
}

/**
 * The names that a word may match, too many rather than too few: shells differ in what a character is. `null`: unknown.
 */
export function expand({ text, glob }: Word, { bases }: PathBases): readonly Word[] | null {
  if (!glob) return [{ text, glob }];
  const cut = text.lastIndexOf("/") + 1;
  const folder = text.slice(0, cut);
  const pattern = text.slice(cut);
  if (/[*?]/.test(folder) || pattern.split("*").length > MOST_STARS) return null;
  const form = new RegExp(
    `^${pattern
      .replace(/[^\w*?]/gu, "\\$&")
      .replaceAll("?", ".{1,4}")
      .replaceAll("*", ".*")}$`,
    "is",
  );
  // `.*` matches `..` too, in dash and older releases of bash.
  const dots = pattern.startsWith(".") ? [".", ".."] : [];
  const names = [...dots, ...bases.flatMap((base) => namesIn(asTold(base, folder)))].filter((name) =>
    form.test(name),
  );
  // A file's name that begins like an option is one.
  if (folder === "" && names.some((name) => name.startsWith("-"))) return null;
  return [text, ...names.map((name) => folder + name)].map((one) => ({ text: one, glob: true }));
}

export function isRead(path: string, { cwd, bases }: PathBases): boolean {
  return EMPTY.has(path) || (path !== "" && bases.every((base) => isInside(cwd, base, path)));
}

export function isWritable(path: string, { cwd, bases }: PathBases): boolean {
  return path !== "" && bases.every((base) => whereIs(cwd, base, path) === "inside");
}

function firstOf(all: readonly Word[], isBad: (text: string) => boolean): string | null {
  return all.find(({ text }) => isBad(text))?.text ?? null;
}

export function isFolder(path: string): boolean {
  return look(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function exists(path: string): boolean {
  return look(() => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** What cannot be read counts as found: finding something is a reason to reject. */
function look(at: () => boolean): boolean {
  try {
    return at();
  } catch {
    return true;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
