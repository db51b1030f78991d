// Lines that were meant as `---` and are none, and what is wrong with them.

/** Blanks that are no blanks of ASCII, characters of no width, and marks of the byte order. */
const UNSEEN = /[\u00a0\u00ad\u180e\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]/;

/** Rules of Markdown, other dashes, and the delimiters of other headers. */
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]+){2,}-|-{2}|-{4,}|[‐-―−─━]{1,}|={3,}|\+{3,})$/u;

/** A longer line is not inspected: a line that was meant as `---` has little else on it. */
const LONGEST = 40;

/** What keeps the line from being a line `---`; `null` when it is one, or was never meant as one. */
export function markFlaw(line: string): string | null {
  const text = line.trimEnd();
  if (line.length > LONGEST || /^---[ \t]*\r?$/.test(line)) return null;
  const unseen = UNSEEN.exec(line)?.[0];
  if (unseen !== undefined && /^-{3}$/.test(line.replaceAll(new RegExp(UNSEEN, "g"), "").trim()))
    return `the line --- has a character that is not visible (${codeOf(unseen)}): only --- may stand on it`;
  if (/^[ \t]+---$/.test(text)) return "the line --- is indented: it must begin with the first character";
  if (RULE.test(text.trim())) return `the line ${text.trim()} is no line ---: write exactly three hyphens`;
  if (/^---[ \t]*[^\s|-]/.test(text)) return `only --- may stand on its line, found ${text}`;
  return null;
}

/** What keeps the line from closing a header. */
export function closingFlaw(line: string): string | null {
  if (/^(?:\.{3}|`{3,}|~{3,})\s*$/.test(line))
    return `the line ${line.trim()} does not end the header, a line --- does`;
  return markFlaw(line);
}

function codeOf(char: string): string {
  return `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
