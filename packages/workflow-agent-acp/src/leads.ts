import { isObject } from "@uncaged/workflow-agent-kit";
import type { Kind } from "./arguments.js";
import type { Fields } from "./connection.js";

/** Something that an input names: a path, a command, or anything that may lead outside. */
export type Lead =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "command"; readonly words: readonly string[] }
  | { readonly kind: "beyond"; readonly what: string };

/** No known tool has deeper inputs; anything below is not judged and counts as outside. */
const DEEPEST = 8;

const FOLDERS = listed("cwd workdir dir directory folder root");

const PATHS = new Set([
  ...FOLDERS,
  ...listed("path paths file files filename filenames filepath filepaths directories folders url urls uri"),
]);

/** May hold a path or something else. */
const PERHAPS = listed("source src destination dest target from to old new");

/** Members that contain a command. */
const COMMANDS = listed(
  "command commands cmd cmds cmdline argv script scripts shell bash sh exec execute run program executable",
);

/** Members that describe the call and do not change what it does. */
const REMARKS = listed(
  "description explanation reason justification title type id name source amendment timeout",
);

/** Members that contain the text to write. */
const CONTENTS = listed(
  "content contents text string str source edit edits body code instruction instructions prompt",
);

/** What editors call a "command". */
const EDITOR_VERBS = listed("view create write str_replace insert undo_edit");

/** Kinds that already say what happens to the paths in the input. */
const CLEAR: ReadonlySet<Kind> = new Set(["read", "edit", "delete", "move", "search", "think"]);

/** `bash -lc <line>`, as codex calls every command. */
const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|dash|zsh)$/;

/** How to read the members of an input. */
type Reading = {
  /** Whether unknown members are harmless: then only those that look like a path count. */
  readonly clear: boolean;
  /** Whether the call may contain text to write and an editor's verb. */
  readonly writes: boolean;
};

/** Next to a command every member counts: an environment or a stdin changes what it does. */
const BESIDE_COMMAND: Reading = { clear: false, writes: false };

/** The paths and commands in a tool's input, found by member name. */
export function leadsOfInput(input: unknown, kinds: readonly Kind[]): readonly Lead[] {
  const reading = {
    clear: kinds.every((kind) => CLEAR.has(kind)),
    writes: !kinds.includes("execute") && !kinds.includes("fetch"),
  };
  return isObject(input) ? leadsOfFields(input, reading, 0) : leadsOfCommand(input, {}, 0);
}

/** The working folders that an input names. */
export function foldersIn(input: unknown, depth = 0): readonly string[] {
  if (depth > DEEPEST || typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    typeof value === "string" && FOLDERS.has(lastWord(name)) ? [value] : foldersIn(value, depth + 1),
  );
}

function leadsOfFields(fields: Fields, around: Reading, depth: number): readonly Lead[] {
  const members = Object.entries(fields);
  const reading = members.some(([name, value]) => isCommand(name, value, around)) ? BESIDE_COMMAND : around;
  return members.flatMap(([name, value]) => [
    ...(looksLikePath(name) && saysSomething(value) ? [pathLead(name)] : []),
    ...(isCommand(name, value, around)
      ? leadsOfCommand(value, fields, depth)
      : leadsOfMember(name, value, reading, depth)),
  ]);
}

function leadsOfMember(name: string, value: unknown, reading: Reading, depth: number): readonly Lead[] {
  if (depth > DEEPEST) return [beyond("an input too deep to judge")];
  if (value === true && /follow|dereference/i.test(name)) return [beyond(`"${name}": true`)];
  if (typeof value === "string") return value === "" ? [] : leadsOfText(name, value, reading);
  if (Array.isArray(value)) return value.flatMap((one) => leadsOfMember(name, one, reading, depth + 1));
  if (!isObject(value)) return [];
  return reading === BESIDE_COMMAND && !REMARKS.has(lastWord(name))
    ? [beyond(`"${name}" in its input`)]
    : leadsOfFields(value, reading, depth + 1);
}

/** Numbers and booleans name nothing. */
function saysSomething(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

function isCommand(name: string, value: unknown, { writes }: Reading): boolean {
  if (!saysSomething(value) || (writes && typeof value === "string" && EDITOR_VERBS.has(value))) return false;
  return wordsOf(name).some((word) => COMMANDS.has(word)) && !REMARKS.has(lastWord(name));
}

function leadsOfText(name: string, text: string, reading: Reading): readonly Lead[] {
  const word = lastWord(name);
  if (PATHS.has(word)) return [pathLead(text)];
  // They are judged with their command.
  if (reading === BESIDE_COMMAND && ARGUMENTS.has(name)) return [];
  if (reading.clear ? /patch|diff|input$/i.test(name) : reading.writes && /patch|diff/i.test(name))
    return leadsOfPatch(text);
  if (reading.clear && PERHAPS.has(word) && !text.includes("\n")) return [pathLead(text)];
  if (REMARKS.has(word) || (reading.writes && (CONTENTS.has(word) || EDITOR_VERBS.has(text)))) return [];
  if (!reading.clear) return [beyond(`"${name}" in its input`)];
  return word !== "query" && looksLikePath(text) ? [pathLead(text)] : [];
}

const ARGUMENTS = listed("args arguments");

/** The command in a member; its arguments may be in another one. */
function leadsOfCommand(value: unknown, beside: Fields, depth: number): readonly Lead[] {
  const args = beside.args ?? beside.arguments ?? null;
  if (args !== null && !(typeof value === "string" && isWords(args)))
    return [beyond("a command with arguments of another form")];
  if (isWords(args)) return [{ kind: "command", words: [String(value), ...args] }];
  if (typeof value === "string") return [{ kind: "command", words: wordsOfLine(value) }];
  if (isWords(value)) return [{ kind: "command", words: withoutShell(value) }];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!all.every(isObject)) return [beyond("a command of another form")];
  return all.flatMap((one) => leadsOfFields(one, BESIDE_COMMAND, depth + 1));
}

/** A line as a shell splits it where all of its words are plain; others match no rule. */
function wordsOfLine(line: string): readonly string[] {
  return line.trim().split(/[ \t]+/);
}

function withoutShell(words: readonly string[]): readonly string[] {
  const [shell = "", option = "", line] = words;
  const isLine = line !== undefined && words.length === 3 && SHELL.test(shell) && /^-l?c$/.test(option);
  return isLine ? wordsOfLine(line) : words;
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

/** The files that a patch names, in the ways agents write them. */
function leadsOfPatch(text: string): readonly Lead[] {
  const named = text.matchAll(
    /^(?:\*\*\* (?:(?:Add|Update|Delete) File|Move to): |(?:rename|copy) (?:from|to) |(?:---|\+\+\+) (?:[ab]\/)?)(\S.*)$/gm,
  );
  const leads = [...named].map(([, path = ""]) => pathLead(path.replace(/\t.*$/, ""))).filter(isNoDevice);
  // A new link may lead the next call anywhere.
  const makesLink = /^(?:new (?:file )?mode|index \S+) 12\d{4}/m.test(text);
  return makesLink ? [...leads, beyond("a patch that makes a link")] : leads;
}

function isNoDevice(lead: Lead): boolean {
  return lead.kind !== "path" || lead.path !== "/dev/null";
}

/** An address by its scheme, in any case: whatever a program makes of it, it is no path of this folder. */
const ADDRESS = /^\s*[a-z][a-z0-9+.-]*:/i;

/** `file:///path`, `file://localhost/path`, `file:/path`. */
const FILE = /^file:(?:\/\/(?:localhost)?(?=\/))?(?=\/)/i;

/** A name with quotes, a variable or an invisible character is ambiguous; `routes/$id.ts` is a file. */
export function pathLead(path: string): Lead {
  if (/^[~"'$]|\$[{(]|[`\p{C}]/u.test(path)) return beyond(JSON.stringify(path.slice(0, 200)));
  if (FILE.test(path)) return fileLead(path.replace(FILE, ""));
  return ADDRESS.test(path) ? beyond(path.slice(0, 200)) : { kind: "path", path };
}

/** As a program may read it: some decode it, some do not, so what differs is ambiguous unless it is plain once decoded. */
function fileLead(path: string): Lead {
  try {
    const plain = decodeURIComponent(path.replace(/[?#].*$/s, ""));
    if (!/%[0-9a-f]{2}|[\p{C}\\]/iu.test(plain)) return { kind: "path", path: plain };
  } catch {
    // No encoding of anything.
  }
  return beyond(JSON.stringify(path.slice(0, 200)));
}

function beyond(what: string): Lead {
  return { kind: "beyond", what };
}

function looksLikePath(text: string): boolean {
  return /^[~/]|^\s*file:|(?:^|\/)\.\.(?:\/|$)/i.test(text);
}

/** `path` of `filePath`, `file_path`, `abs-path`. */
function lastWord(name: string): string {
  return wordsOf(name).at(-1) ?? "";
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function listed(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
