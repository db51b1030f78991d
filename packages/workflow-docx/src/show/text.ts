import { type Difference, markedText } from "../diff/index.js";
import { type DifferenceLine, differenceLines } from "./lines.js";
import { clipped } from "./pieces.js";

export type TextLimits = {
  /** Of all of it; `null`: as long as it gets. */
  readonly maxCharacters: number | null;
};

/** Room for the line that counts what is left out. */
const MORE = 20;

/**
 * What differs as plain text: under its heading each block with its number in the new document (`old 4` for one that
 * only the old document has), `12: We have [-three-]{+four+} apples.`; then what differs outside of the text. What
 * does not fit is counted in the last line, `… 3 more`.
 */
export function differenceText(difference: Difference, { maxCharacters }: TextLimits): string {
  const lines = differenceLines(difference);
  // One long block does not take the place of all others.
  const longest = maxCharacters === null ? null : Math.max(40, Math.floor(maxCharacters / 3));
  const shown: string[] = [];
  let length = 0;
  let above: string | null = null;
  for (const [at, line] of lines.entries()) {
    const heading = line.heading === above ? "" : `${at === 0 ? "" : "\n"}${line.heading}\n`;
    const text = `${heading}  ${lineText(line, longest)}\n`;
    const isLast = at === lines.length - 1;
    if (maxCharacters !== null && length + text.length + (isLast ? 0 : MORE) > maxCharacters) {
      shown.push(`… ${lines.length - at} more\n`);
      break;
    }
    shown.push(text);
    length += text.length;
    above = line.heading;
  }
  return shown.join("");
}

function lineText({ label, pieces, isFormatOnly }: DifferenceLine, longest: number | null): string {
  if (pieces.length === 0) return label;
  const text = markedText(longest === null ? pieces : clipped(pieces, longest)).replaceAll("\n", "\n    ");
  return `${label}: ${text}${isFormatOnly ? " (only its format)" : ""}`;
}
