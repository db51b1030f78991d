import { parse } from "dotenv";

type Variables = Readonly<Record<string, string>>;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The text with one variable set; `null` when no way of writing the value reads back unchanged. */
export function setVariable(text: string, name: string, value: string): string | null {
  if (!VARIABLE.test(name) || value.includes("\0")) return null;
  const before: Variables = parse(text);
  if (Object.hasOwn(before, name) && before[name] === value) return text;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const candidates = writings(value).flatMap((writing) => {
    const line = `${name}=${writing}`;
    return [replaced(text, name, line, newline), appended(text, line, newline)];
  });
  // What dotenv makes of quotes, comments and several lines is its own affair: so it is asked.
  return candidates.find((text) => text !== null && reads(text, { ...before, [name]: value })) ?? null;
}

/** Ways to write a value, the plainest first. */
function writings(value: string): readonly string[] {
  const escaped = value.replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  const quoted = [`'${value}'`, `"${value}"`, `\`${value}\``, `"${escaped}"`];
  return /^[\w./:@+-]+$/.test(value) ? [value, ...quoted] : [...quoted, value];
}

/** The last assignment of `name`, which may span several lines, gives way to `line`; `null` when there is none. */
function replaced(text: string, name: string, line: string, newline: string): string | null {
  const lines = text.split(/\r?\n/);
  const start = lines.findLastIndex((each) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*[=:]`).test(each));
  if (start === -1) return null;
  const value = parse(text)[name];
  for (let end = start + 1; end <= lines.length; end += 1) {
    if (parse(lines.slice(start, end).join("\n"))[name] !== value) continue;
    return [...lines.slice(0, start), line, ...lines.slice(end)].join(newline);
  }
  return null;
}

function appended(text: string, line: string, newline: string): string {
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return `${text}${gap}${line}${newline}`;
}

function reads(text: string, expected: Variables): boolean {
  const found = parse(text);
  const names = Object.keys(expected);
  return names.length === Object.keys(found).length && names.every((name) => found[name] === expected[name]);
}
