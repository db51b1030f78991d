/** Of the usual sans-serif fonts, as a part of the font size: which font will draw the text is unknown here. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[ijl.,:;'|!]/, 0.31],
  [/[frtI()[\]{}/\\ "*-]/, 0.41],
  [/[mwMW@%—]/, 0.92],
  [/[A-Z&]/, 0.72],
  [/[ -~]/, 0.59],
  // East Asian letters and signs, and what stands beyond the first plane: emoji, mostly.
  [
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{10000}-\u{10ffff}]/u,
    1.05,
  ],
];

const OTHER = 0.65;

/** How wide a text of one line is at most, in px. */
export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) width += WIDTHS.find(([kind]) => kind.test(character))?.[1] ?? OTHER;
  return Math.ceil(width * size);
}

/** The text, cut to at most this many characters, with an ellipsis. */
export function shortened(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest
    ? text
    : `${characters
        .slice(0, longest - 1)
        .join("")
        .trimEnd()}…`;
}
