import { segmentsOf } from "../shape.js";

// In YAML ` #` begins a comment: `procedure: fix issue #41` says "fix issue". A comment behind a text in quotes, a number
// or a list cuts nothing, and neither does one on a line of its own.

export const CUT = 'a text that contains " #" must be quoted; a comment goes on a line of its own';

/** Whether a text without quotes, "" for none, was likely meant to go on where the comment behind it begins. */
export type IsCut = (path: string, text: string, comment: string) => boolean;

/** Among commands and names a comment is usual: several words before a `#` without a blank behind it. */
export const looksCut: IsCut = (_path, text, comment) => hasBlank(text) && isGlued(comment);

/** Texts for people, models and the engine: there a comment is never told from the text. */
const TEXTS: ReadonlySet<string> = new Set([
  ...["description", "goal", "capabilities", "procedure", "output", "expression", "prompt", "each"],
  ...["title", "$comment"],
]);

/** One word, in which there can be no `#`. */
const NAMES: ReadonlySet<string> = new Set([
  ...["name", "role", "condition", "agent", "workflow", "type", "required", "format", "$ref"],
]);

/** In a workflow. */
export const isCutInWorkflow: IsCut = (path, text, comment) => {
  const name = segmentsOf(path).findLast((segment) => !/^\d+$/.test(segment)) ?? "";
  if (text !== "" && (TEXTS.has(name) || hasBlank(text))) return true;
  return !NAMES.has(name) && isGlued(comment);
};

function hasBlank(text: string): boolean {
  return /\s/.test(text);
}

/** `#41`, not `# the issue`. */
function isGlued(comment: string): boolean {
  return /^#[^\s#]/.test(comment);
}

/** Where a text without quotes is cut in a line that is not read any more; `null`: nowhere. */
export function cutInLine(line: string): number | null {
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (/["']/.test(char) && /(?:^|[\s,[{])$/.test(line.slice(0, at))) quote = char;
    else if (char === "#" && /\s$/.test(line.slice(0, at)))
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
  return text !== "" && (hasBlank(text) || isGlued(comment));
}
