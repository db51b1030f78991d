import { sanitizeTerminal } from "@uncaged/json-cas";
import {
  type Difference,
  type DifferenceLine,
  differenceLines,
  differenceSummary,
  differenceText,
  markedText,
  type TextPiece,
} from "@uncaged/workflow-docx";
import { wrapAnsi } from "fast-wrap-ansi";
import picocolors from "picocolors";

/** Where a person reads the result. */
export type Screen = {
  /** Columns. */
  readonly width: number;
  readonly colour: boolean;
};

/** What differs, and a line that sums it up; `screen: null` for a program or a file: no colours, no line broken. */
export function shownDifference(difference: Difference, screen: Screen | null): string {
  const summary = differenceSummary(difference);
  if (difference.isEqual) return `${summary}\n`;
  if (screen === null) return `${differenceText(difference, { maxCharacters: null })}\n${summary}\n`;
  const { bold, dim } = picocolors.createColors(screen.colour);
  const lines = differenceLines(difference);
  const shown = lines.map((line, at) => {
    const above = at === 0 ? null : (lines[at - 1]?.heading ?? null);
    if (line.heading === above) return lineOnScreen(line, screen);
    const heading = wrapAnsi(bold(plain(line.heading ?? "")), screen.width);
    return `${at === 0 ? "" : "\n"}${heading}\n${lineOnScreen(line, screen)}`;
  });
  return `${shown.join("")}\n${dim(summary)}\n`;
}

/** Columns before a text, with the number of its block: `  12  `, `old 4  `. */
const GUTTER = 8;

/** Lines longer than this are hard to read. */
const WIDEST = 100;

/** No text is broken to less. */
const NARROWEST = 16;

function lineOnScreen({ label, pieces, isFormatOnly }: DifferenceLine, screen: Screen): string {
  const { dim } = picocolors.createColors(screen.colour);
  const room = Math.max(Math.min(screen.width, WIDEST) - GUTTER, NARROWEST);
  const note = isFormatOnly ? dim(" (only its format)") : "";
  const text = pieces.length === 0 ? "" : wrapAnsi(painted(pieces, screen) + note, room, { hard: true });
  const indented = text.replaceAll("\n", `\n${" ".repeat(GUTTER)}`);
  const name = plain(label);
  if (name.length <= GUTTER - 2) return `${dim(name.padStart(GUTTER - 2))}  ${indented}\n`;
  return `  ${dim(name)}\n${text === "" ? "" : `${" ".repeat(GUTTER)}${indented}\n`}`;
}

function painted(pieces: readonly TextPiece[], { colour }: Screen): string {
  const { red, green, strikethrough } = picocolors.createColors(colour);
  return pieces
    .map((piece) => {
      const { text, change } = piece;
      // A space has no visible colour.
      if (change === null || !colour || text.trim() === "") {
        const marked = plain(markedText([piece]));
        return change === null || !colour ? marked : (change === "del" ? red : green)(marked);
      }
      return change === "del" ? red(strikethrough(plain(text))) : green(plain(text));
    })
    .join("");
}

/** Tabs have no width that could be counted. */
function plain(text: string): string {
  return sanitizeTerminal(text.replaceAll("\t", "    "));
}
