import type { TextPiece } from "../diff/index.js";

/** A text with at most `around` characters of unchanged text on each side of a change. */
export function abridged(pieces: readonly TextPiece[], around: number): readonly TextPiece[] {
  return pieces.map(({ text, change }, at) => {
    if (change !== null) return { text, change };
    const [first, last] = [at === 0, at === pieces.length - 1];
    if (first && last) return { text: headOf(text, 2 * around), change };
    if (first) return { text: tailOf(text, around), change };
    if (last) return { text: headOf(text, around), change };
    return {
      text: text.length > 2 * around + 1 ? headOf(text, around) + tailOf(text, around).slice(1) : text,
      change,
    };
  });
}

/** The beginning, up to the end of a word where there is one. */
function headOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${whole(text.slice(0, length)).replace(/\S{1,20}$/, "")}…`;
}

function tailOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return `…${whole(text.slice(-length)).replace(/^\S{1,20}/, "")}`;
}

/** Without half of a character at its ends. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

/** At most so many characters of text, with an ellipsis if something is missing. */
export function clipped(pieces: readonly TextPiece[], length: number): readonly TextPiece[] {
  let room = length;
  const kept: TextPiece[] = [];
  for (const { text, change } of pieces) {
    if (text.length > room)
      return [...kept, { text: `${whole(text.slice(0, Math.max(0, room - 1)))}…`, change }];
    kept.push({ text, change });
    room -= text.length;
  }
  return kept;
}
