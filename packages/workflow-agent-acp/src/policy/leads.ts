import { isFields } from "../wire/index.js";
import { leadsOfCommand, leadsOfWords } from "./command.js";
import type { Lead } from "./types.js";

/** Deeper inputs are of no tool that is known; what lies below is not judged, so it counts as leading beyond. */
const DEEPEST = 8;

const PATH_WORDS: ReadonlySet<string> = new Set([
  "path",
  "paths",
  "file",
  "files",
  "filename",
  "filenames",
  "filepath",
  "filepaths",
  "dir",
  "directory",
  "directories",
  "folder",
  "folders",
  "cwd",
  "root",
  "workdir",
]);

/** May hold a path or something else: only what looks like a path counts. */
const PERHAPS: ReadonlySet<string> = new Set([
  "source",
  "src",
  "destination",
  "dest",
  "target",
  "from",
  "to",
]);

/** Where the input of a tool leads, by its members' names. */
export function leadsOfInput(input: unknown, depth = 0): readonly Lead[] {
  if (depth > DEEPEST) return [{ kind: "beyond", what: "an input too deep to judge" }];
  if (Array.isArray(input)) return input.flatMap((one) => leadsOfInput(one, depth + 1));
  if (!isFields(input)) return [];
  return Object.entries(input).flatMap(([name, value]) => [
    ...(looksLikePath(name) ? [pathLead(name)] : []),
    ...leadsOfMember(name, value, depth),
  ]);
}

function leadsOfMember(name: string, value: unknown, depth: number): readonly Lead[] {
  const word = lastWord(name);
  if (word === "command" || word === "cmd") return leadsOfCommandMember(value, depth);
  if (word === "url" || word === "urls" || word === "uri") return textsIn(value).map(uriLead);
  if (PATH_WORDS.has(word))
    return textsIn(value)
      .map(pathLead)
      .concat(leadsOfInput(value, depth + 1));
  if (PERHAPS.has(word)) return textsIn(value).filter(looksLikePath).map(pathLead);
  if (typeof value === "string")
    return /patch|diff/i.test(name) || word === "input" ? leadsOfPatch(value) : [];
  return leadsOfInput(value, depth + 1);
}

function leadsOfCommandMember(value: unknown, depth: number): readonly Lead[] {
  if (typeof value === "string") return leadsOfCommand(value);
  if (!Array.isArray(value)) return leadsOfInput(value, depth + 1);
  return leadsOfWords(value.filter((word): word is string => typeof word === "string"));
}

/** The files that a patch names, in the two ways agents write them. */
function leadsOfPatch(text: string): readonly Lead[] {
  const named = text.matchAll(
    /^(?:\*\*\* (?:(?:Add|Update|Delete) File|Move to): |(?:---|\+\+\+) (?:[ab]\/)?)(\S.*)$/gm,
  );
  return [...named].map(([, path = ""]) => pathLead(path.replace(/\t.*$/, ""))).filter(isNoDevice);
}

function isNoDevice(lead: Lead): boolean {
  return lead.kind !== "path" || lead.path !== "/dev/null";
}

function uriLead(uri: string): Lead {
  return /^[a-z][a-z0-9+.-]*:/i.test(uri) && !uri.startsWith("file:")
    ? { kind: "beyond", what: uri.slice(0, 200) }
    : pathLead(uri);
}

export function pathLead(path: string): Lead {
  if (path.startsWith("~")) return { kind: "beyond", what: path };
  return { kind: "path", path: path.startsWith("file://") ? decoded(path.slice("file://".length)) : path };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function looksLikePath(text: string): boolean {
  return /^[~/]|^file:|(?:^|\/)\.\.(?:\/|$)/.test(text);
}

function textsIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one): one is string => typeof one === "string" && one !== "");
}

/** `path` of `filePath`, `file_path`, `abs-path`. */
function lastWord(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.at(-1) ?? "";
}
