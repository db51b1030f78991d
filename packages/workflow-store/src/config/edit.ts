import { Document, isMap, parseDocument, type YAMLMap } from "yaml";
import { parseEnv } from "./load.js";
import type { Edit } from "./update.js";

/** The text with the edits in it, or the path (`agents.hermes`) at which something else than a map is in the way. */
export function editDocument(
  old: string,
  edits: readonly Edit[],
): { readonly kind: "edited"; readonly text: string } | { readonly kind: "blocked"; readonly at: string } {
  // The caller has refused doubled keys; the library's own check of them is quadratic.
  const parsed = parseDocument(old, { uniqueKeys: false });
  const document = parsed.contents === null || parsed.toJS() === null ? emptyDocument(old) : parsed;
  if (!isMap(document.contents)) return { kind: "blocked", at: "the document" };
  const blocked = edits.find((edit) => !apply(document, edit));
  if (blocked !== undefined) return { kind: "blocked", at: blocked.path.slice(0, -1).join(".") };
  return { kind: "edited", text: document.toString({ lineWidth: 0 }) };
}

/** `false` when something on the way is neither a map nor empty. */
function apply(document: Document, { path, value, onlyIfAbsent }: Edit): boolean {
  for (let length = 1; length < path.length; length += 1) {
    const way = path.slice(0, length);
    const there = document.getIn(way);
    if (there === null || there === undefined) document.setIn(way, document.createNode({}));
    else if (!isMap(there)) return false;
  }
  if (value === undefined) document.deleteIn(path);
  else if (!onlyIfAbsent || !document.hasIn(path)) document.setIn(path, value);
  return true;
}

/** An empty text still may hold comments. */
function emptyDocument(old: string): Document<YAMLMap> {
  const document = new Document<YAMLMap>({});
  document.contents = document.createNode({}) as YAMLMap;
  const comment = old
    .replaceAll("\r\n", "\n")
    .split("\n")
    .filter((line) => line.startsWith("#"));
  if (comment.length > 0) document.commentBefore = comment.map((line) => line.slice(1)).join("\n");
  return document;
}

type Variables = Readonly<Record<string, string>>;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The text with one variable set; `null` when no way of writing the value reads back unchanged. */
export function setVariable(text: string, name: string, value: string): string | null {
  if (!VARIABLE.test(name) || value.includes("\0")) return null;
  const before: Variables = parseEnv(text);
  if (Object.hasOwn(before, name) && before[name] === value) return text;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const candidates = writings(value).flatMap((writing) => {
    const line = `${name}=${writing}`;
    return [replaced(text, name, line, newline), appended(text, line, newline)];
  });
  // Quotes, comments and several lines have rules of their own: so the reader is asked.
  return candidates.find((text) => text !== null && reads(text, { ...before, [name]: value })) ?? null;
}

/** Ways to write a value, the plainest first. */
function writings(value: string): readonly string[] {
  const escaped = value.replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  const quoted = [`'${value}'`, `"${value}"`, `\`${value}\``, `"${escaped}"`];
  return /^[\w./:@+-]+$/.test(value) ? [value, ...quoted] : [...quoted, value];
}

/** Replaces the last assignment of `name`, which may span several lines, by `line`; `null` if there is none. */
function replaced(text: string, name: string, line: string, newline: string): string | null {
  const lines = text.split(/\r?\n/);
  const start = lines.findLastIndex((each) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*[=:]`).test(each));
  if (start === -1) return null;
  const value = parseEnv(text)[name];
  for (let end = start + 1; end <= lines.length; end += 1) {
    if (parseEnv(lines.slice(start, end).join("\n"))[name] !== value) continue;
    return [...lines.slice(0, start), line, ...lines.slice(end)].join(newline);
  }
  return null;
}

function appended(text: string, line: string, newline: string): string {
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return `${text}${gap}${line}${newline}`;
}

function reads(text: string, expected: Variables): boolean {
  const found = parseEnv(text);
  const names = Object.keys(expected);
  return names.length === Object.keys(found).length && names.every((name) => found[name] === expected[name]);
}
