import { isObject } from "@uncaged/workflow-agent-kit";
import type { Kind } from "../arguments.js";
import type { Fields } from "../wire.js";
import type { Lead } from "./types.js";

/** No known tool has deeper inputs; anything below is not judged and counts as outside. */
const DEEPEST = 8;

const FOLDERS = listed("cwd workdir dir directory folder root");

const PATHS = new Set([
  ...FOLDERS,
  ...listed("path paths file files filename filenames filepath filepaths directories folders"),
]);

/** May hold a path or something else. */
const PERHAPS = listed("source src destination dest target from to old new");

/** Members that contain a command. */
const COMMANDS = listed(
  "command commands cmd cmds cmdline argv script scripts shell bash sh exec execute run program executable",
);

/** Members that describe the call and do not change what it does. */
const REMARKS = listed(
  "description explanation reason justification title type id name source query amendment timeout",
);

/** Members that contain the text to write. */
const CONTENTS = listed(
  "content contents text string str source edit edits body code instruction instructions prompt",
);

/** What editors call a "command". */
const EDITOR_VERBS = listed("view create write str_replace insert undo_edit");

/** Kinds that already say what happens to the paths in the input. */
const CLEAR: ReadonlySet<Kind> = new Set(["read", "edit", "delete", "move", "search", "think"]);

/** How to read the members of an input. */
type Reading = {
  /** Whether unknown members are harmless: then only those that look like a path count. */
  readonly clear: boolean;
  /** Whether the call may contain text to write and an editor's verb. */
  readonly writes: boolean;
};

/** The paths and commands in a tool's input, found by member name. */
export function leadsOfInput(input: unknown, kinds: readonly Kind[]): readonly Lead[] {
  const clear = kinds.every((kind) => CLEAR.has(kind));
  const reading = { clear, writes: !kinds.includes("execute") && !kinds.includes("fetch") };
  if (isObject(input)) return leadsOfFields(input, reading, 0);
  return input === undefined || input === null ? [] : leadsOfCommand(input, {}, reading, 0);
}

/** The working folders that an input names. */
export function foldersIn(input: unknown, depth = 0): readonly string[] {
  if (depth > DEEPEST || typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    typeof value === "string" && FOLDERS.has(lastWord(name)) ? [value] : foldersIn(value, depth + 1),
  );
}

function leadsOf(value: unknown, reading: Reading, depth: number): readonly Lead[] {
  if (depth > DEEPEST) return [{ kind: "beyond", what: "an input too deep to judge" }];
  if (Array.isArray(value)) return value.flatMap((one) => leadsOf(one, reading, depth + 1));
  return isObject(value) ? leadsOfFields(value, reading, depth) : [];
}

function leadsOfFields(fields: Fields, told: Reading, depth: number): readonly Lead[] {
  const members = Object.entries(fields).filter(([, value]) => saysSomething(value));
  // Next to a command every member counts: an environment or a stdin changes what it does.
  const isStrict = members.some(([name, value]) => isCommand(name, value, told));
  const reading = isStrict ? { clear: false, writes: false } : told;
  const { type } = fields;
  const foreign = isStrict && typeof type === "string" && FOREIGN.has(type.toLowerCase());
  const beyond = [
    ...Object.entries(fields).filter(([name, value]) => follows(name, value)),
    ...(foreign ? [["type", type] as const] : []),
  ];
  const around = beyond.map(([name, value]): Lead => ({ kind: "beyond", what: `"${name}": ${value}` }));
  const inside = members.flatMap(([name, value]) => [
    ...(looksLikePath(name) ? [pathLead(name)] : []),
    ...(isCommand(name, value, told)
      ? leadsOfCommand(value, fields, reading, depth)
      : [
          ...textsIn(value).flatMap((text) => leadsOfText(name, text, reading, isStrict)),
          ...(isStrict && !isMeant(name, value)
            ? [{ kind: "beyond", what: `"${name}" in its input` } as const]
            : leadsOf(value, reading, depth + 1)),
        ]),
  ]);
  return [...around, ...inside];
}

/** Whether a member next to a command is a text, a list of texts, or a remark: an object may be its environment. */
function isMeant(name: string, value: unknown): boolean {
  return typeof value === "string" || isWords(value) || REMARKS.has(lastWord(name));
}

/** Numbers and booleans name nothing. */
function saysSomething(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

/** Flags that lead out of the working folder when true: following links. */
function follows(name: string, value: unknown): boolean {
  return value === true && /follow|dereference/i.test(name);
}

/** Values of `type` for a command that is not written for a POSIX shell. */
const FOREIGN = listed("powershell pwsh cmd batch fish nu python python3 node javascript js ruby perl sql");

function isCommand(name: string, value: unknown, { writes }: Reading): boolean {
  if (writes && typeof value === "string" && EDITOR_VERBS.has(value)) return false;
  return wordsOf(name).some((word) => COMMANDS.has(word)) && !REMARKS.has(lastWord(name));
}

function leadsOfText(name: string, text: string, reading: Reading, besideCommand: boolean): readonly Lead[] {
  const word = lastWord(name);
  if (word === "url" || word === "urls" || word === "uri" || PATHS.has(word)) return [pathLead(text)];
  if (besideCommand && (word === "args" || word === "arguments")) return [];
  if (reading.clear ? /patch|diff|input$/i.test(name) : reading.writes && /patch|diff/i.test(name))
    return leadsOfPatch(text);
  if (reading.clear && PERHAPS.has(word) && !text.includes("\n")) return [pathLead(text)];
  if (word === "query" && !reading.clear) return [{ kind: "beyond", what: `"${name}" in its input` }];
  if (REMARKS.has(word) || (reading.writes && (CONTENTS.has(word) || EDITOR_VERBS.has(text)))) return [];
  if (!reading.clear) return [{ kind: "beyond", what: `"${name}" in its input` }];
  return looksLikePath(text) ? [pathLead(text)] : [];
}

/** The command in a member; its arguments may be in another one. */
function leadsOfCommand(value: unknown, beside: Fields, reading: Reading, depth: number): readonly Lead[] {
  const given = [beside.args, beside.arguments].find((one) => one !== undefined && one !== null);
  if (given !== undefined && (typeof value !== "string" || !isWords(given))) {
    return [{ kind: "beyond", what: "a command with arguments of another form" }];
  }
  if (isWords(given)) return [{ kind: "words", words: [String(value), ...given] }];
  if (typeof value === "string") return [{ kind: "line", line: value }];
  if (isWords(value)) return [{ kind: "words", words: value }];
  const isList = Array.isArray(value) && value.every(isObject);
  if (!isList && !isObject(value)) return [{ kind: "beyond", what: "a command of another form" }];
  return leadsOf(value, { ...reading, clear: false, writes: false }, depth + 1);
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
  return makesLink ? [...leads, { kind: "beyond", what: "a patch that makes a link" }] : leads;
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
  if (/^[~"'$]|\$[{(]|[`\p{C}]/u.test(path))
    return { kind: "beyond", what: JSON.stringify(path.slice(0, 200)) };
  if (FILE.test(path)) return fileLead(path.replace(FILE, ""));
  return ADDRESS.test(path) ? { kind: "beyond", what: path.slice(0, 200) } : { kind: "path", path };
}

/** As a program may read it: some decode it, some do not, so what differs is ambiguous unless it is plain once decoded. */
function fileLead(path: string): Lead {
  try {
    const plain = decodeURIComponent(path.replace(/[?#].*$/s, ""));
    if (!/%[0-9a-f]{2}|[\p{C}\\]/iu.test(plain)) return { kind: "path", path: plain };
  } catch {
    // No encoding of anything.
  }
  return { kind: "beyond", what: JSON.stringify(path.slice(0, 200)) };
}

function looksLikePath(text: string): boolean {
  return /^[~/]|^\s*file:|(?:^|\/)\.\.(?:\/|$)/i.test(text);
}

function textsIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one): one is string => typeof one === "string" && one !== "");
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
