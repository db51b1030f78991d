// In YAML ` #` begins a comment: `procedure: fix issue #41` says "fix issue". A comment behind a text in quotes, a number
// or a list cuts nothing, and neither does one on a line of its own.

export const CUT = 'a text that contains " #" must be quoted; a comment goes on a line of its own';

export function hasBlank(text: string): boolean {
  return /\s/.test(text);
}

/** `#41`, not `# the issue`. */
export function isGluedComment(comment: string): boolean {
  return /^#[^\s#]/.test(comment);
}

/** Where a text without quotes is cut in a line that is not read any more; `null`: nowhere. */
export function cutInLine(line: string): number | null {
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    const before = line[at - 1] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (/["']/.test(char) && (before === "" || /[\s,[{]/.test(before))) quote = char;
    else if (char === "#" && /\s/.test(before))
      return isTextBefore(line.slice(0, at).trimEnd(), line.slice(at)) ? at : null;
  }
  return null;
}

/** What stands between the `#` and the sign of YAML before it. */
function isTextBefore(before: string, comment: string): boolean {
  if (/["'\]}|>]$/.test(before)) return false;
  const text =
    before
      .split(/(?:^|\s)-\s+|:\s+|,\s*|[[{]/)
      .at(-1)
      ?.trim() ?? "";
  return text !== "" && (hasBlank(text) || isGluedComment(comment));
}
