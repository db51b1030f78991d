import type { BlockChange, Difference, TextPiece } from "../diff/index.js";
import { abridged } from "./pieces.js";
import { otherName, sectionsOf } from "./summary.js";

/** One thing that differs, as whoever shows a difference needs it. */
export type DifferenceLine = {
  /** What stands above it; `null`: it is before the first heading. */
  readonly heading: string | null;
  /** Its number in the new document, `old 4` if only the old one has it; outside of the text its name and part. */
  readonly label: string;
  /** Empty: it has no text, or only looks different. */
  readonly pieces: readonly TextPiece[];
  readonly isFormatOnly: boolean;
};

/** Characters of unchanged text that are shown beside a change. */
const AROUND = 160;

/** Characters of a heading. */
const HEADING = 200;

/** Every changed block, then what differs outside of the text; unchanged text far from a change is left out. */
export function differenceLines(difference: Difference): readonly DifferenceLine[] {
  const blocks = sectionsOf(difference).flatMap(({ heading, changes }) =>
    changes.map(
      (change): DifferenceLine => ({
        heading: heading === null ? null : shortened(heading),
        label: blockName(change),
        pieces: abridged(change.pieces, AROUND),
        isFormatOnly: change.isFormatOnly,
      }),
    ),
  );
  const others = difference.others.map(
    (other): DifferenceLine => ({
      heading: "Outside of the text",
      label: `${otherName(other)} (${other.part})`,
      pieces: abridged(other.pieces, AROUND),
      isFormatOnly: false,
    }),
  );
  return [...blocks, ...others];
}

/** The number by which an edit names it; of one that is gone the number that it had. */
function blockName({ block, oldBlock }: BlockChange): string {
  return block === null ? `old ${oldBlock ?? "?"}` : String(block);
}

function shortened(heading: string): string {
  const line = heading.replace(/\s+/g, " ");
  return line.length > HEADING ? `${line.slice(0, HEADING)}…` : line;
}
