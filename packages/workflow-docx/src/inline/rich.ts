import { element } from "../xml/index.js";
import { type Atom, textAtom } from "./atom.js";
import { boldOf } from "./format.js";

/** A text with what of it is bold. */
export type Rich = {
  readonly text: string;
  /** For each code unit. */
  readonly bold: readonly boolean[];
};

/** Reads `**bold**`. Stars without a partner, and those after a backslash, are stars. */
export function parseRich(source: string): Rich {
  const bold: boolean[] = [];
  let text = "";
  const add = (piece: string, isBold: boolean): void => {
    text += piece;
    for (let at = 0; at < piece.length; at++) bold.push(isBold);
  };
  for (const [all, marked] of source.matchAll(/\\\*|\*\*(?=\S)([^*]+?)(?<=\S)\*\*|[\s\S]/g))
    add(marked ?? all.replace(/^\\\*$/, "*"), marked !== undefined);
  return { text, bold };
}

/** Where the new text stands: the format and the link that it takes over. */
export type InlineStyle = Pick<Atom, "format" | "link">;

/** The pieces of a part of a text. */
export function richAtoms(
  { text, bold }: Rich,
  from: number,
  to: number,
  place: InlineStyle,
): readonly Atom[] {
  const atoms: Atom[] = [];
  let at = from;
  while (at < to) {
    const isBold = bold[at] ?? false;
    const format = isBold ? boldOf(place.format) : place.format;
    const sign = text[at];
    if (sign === "\n" || sign === "\t") {
      const node = element(sign === "\n" ? "w:br" : "w:tab", [], []);
      atoms.push({ ...textAtom(sign, format, place.link), kind: "character", nodes: [node] });
      at++;
      continue;
    }
    let end = at + 1;
    while (end < to && (bold[end] ?? false) === isBold && text[end] !== "\n" && text[end] !== "\t") end++;
    atoms.push(textAtom(text.slice(at, end), format, place.link));
    at = end;
  }
  return atoms;
}
