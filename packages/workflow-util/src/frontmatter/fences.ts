/** A line `---` of a text. */
export type Fence = {
  /** Offset of the line. */
  readonly start: number;
  /** Offset after its line end. */
  readonly end: number;
  /** Counted from 1. */
  readonly line: number;
};

const LF = 10;

/** The lines `---` of a text (blanks after it are fine), at most `limit`; one pass, whatever the text. */
export function findFences(text: string, limit: number): readonly Fence[] {
  const fences: Fence[] = [];
  let line = 1;
  let start = text.startsWith("\ufeff") ? 1 : 0;
  while (start < text.length && fences.length < limit) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next + 1;
    if (isFence(text, start, end)) fences.push({ start, end, line });
    start = end;
    line += 1;
  }
  return fences;
}

// Looks at the characters in place: a text of 16 MiB may have millions of lines.
function isFence(text: string, start: number, end: number): boolean {
  if (!text.startsWith("---", start)) return false;
  for (let index = start + 3; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== LF && code !== 13 && code !== 32 && code !== 9) return false;
  }
  return true;
}

/** The marker of a code fence that the line opens (` ```yaml `, `~~~`), `null` when it opens none. */
export function codeFenceOf(line: string): string | null {
  const [, marker = null] = /^(`{3,}|~{3,})[^`]*$/.exec(line) ?? [];
  return marker;
}

/** Whether the line closes a code fence of that marker: the same character, at least as often, and nothing else. */
export function closesCodeFence(line: string, marker: string): boolean {
  return line.startsWith(marker) && line.replaceAll(marker.charAt(0), "") === "";
}
