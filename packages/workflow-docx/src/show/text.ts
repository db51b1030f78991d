import { type BlockChange, type Difference, markedText, type TextPiece } from "../diff/index.js";
import { abridged, clipped } from "./pieces.js";
import { otherName, sectionsOf } from "./summary.js";

export type TextLimits = {
  /** Of all of it; `null`: as long as it gets. */
  readonly maxCharacters: number | null;
};

/** Characters of unchanged text that are shown beside a change. */
const AROUND = 160;

/** Characters of a heading. */
const HEADING = 200;

/** Room for the line that counts what is left out. */
const MORE = 20;

type Line = {
  /** The heading above it; `null`: it stands before the first one. */
  readonly heading: string | null;
  readonly text: string;
};

/**
 * What differs as plain text: under its heading each block with its number in the new document (`old 4` for one that
 * only the old document has), `12: We have [-three-]{+four+} apples.`; then what differs outside of the text. What
 * does not fit is counted in the last line, `… 3 more`.
 */
export function differenceText(difference: Difference, { maxCharacters }: TextLimits): string {
  const lines = linesOf(
    difference,
    maxCharacters === null ? null : Math.max(40, Math.floor(maxCharacters / 3)),
  );
  const shown: string[] = [];
  let length = 0;
  let above: string | null = null;
  for (const [at, line] of lines.entries()) {
    const begins = line.heading !== above;
    const text = `${begins ? `${at === 0 ? "" : "\n"}${line.heading}\n` : ""}${line.text}\n`;
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

function linesOf(difference: Difference, longest: number | null): readonly Line[] {
  const textOf = (pieces: readonly TextPiece[]): string => {
    const near = abridged(pieces, AROUND);
    return markedText(longest === null ? near : clipped(near, longest));
  };
  const blocks = sectionsOf(difference).flatMap(({ heading, changes }) =>
    changes.map((change): Line => {
      const format = change.isFormatOnly ? " (only its format)" : "";
      const text = indented(textOf(change.pieces), "    ");
      return { heading: headingLine(heading), text: `  ${blockName(change)}: ${text}${format}` };
    }),
  );
  const others = difference.others.map((other): Line => {
    const text = other.pieces.length === 0 ? "" : `: ${indented(textOf(other.pieces), "    ")}`;
    return { heading: "Outside of the text", text: `  ${otherName(other)} (${other.part})${text}` };
  });
  return [...blocks, ...others];
}

function headingLine(heading: string | null): string | null {
  if (heading === null) return null;
  const line = heading.replace(/\s+/g, " ");
  return line.length > HEADING ? `${line.slice(0, HEADING)}…` : line;
}

/** The number by which an edit names it; of one that is gone the number that it had. */
function blockName({ block, oldBlock }: BlockChange): string {
  return block === null ? `old ${oldBlock ?? "?"}` : String(block);
}

function indented(text: string, by: string): string {
  return text.replaceAll("\n", `\n${by}`);
}
