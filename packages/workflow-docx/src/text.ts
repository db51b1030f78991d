import { attribute, type XmlElement } from "./xml.js";

/** Elements of a run that are one character. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  "w:tab": "\t",
  "w:br": "\n",
  "w:cr": "\n",
  "w:noBreakHyphen": "\u2011",
  "w:softHyphen": "\u00ad",
};

/** What is not there any more, or is no text of the document. */
const UNSEEN = new Set([
  "w:del",
  "w:moveFrom",
  "w:pPr",
  "w:rPr",
  "w:sdtPr",
  "w:drawing",
  "w:pict",
  "w:object",
  "mc:Fallback",
]);

type Seen = {
  text: string;
  paragraphs: number;
  /** For each open field whether its result has begun. */
  readonly fields: boolean[];
};

/** What a reader sees of an element: tracked insertions as text, and of fields the results. Paragraphs are lines. */
export function textOf(of: XmlElement): string {
  const seen: Seen = { text: "", paragraphs: 0, fields: [] };
  look(of, seen);
  return seen.text;
}

function look(of: XmlElement, seen: Seen): void {
  for (const child of of.children) {
    if (typeof child === "string" || UNSEEN.has(child.name)) continue;
    if (child.name === "w:fldChar") mark(attribute(child, "w:fldCharType"), seen.fields);
    else if (!seen.fields.includes(false)) addSeen(child, seen);
    // Nothing of an instruction is seen, but its field has to end.
    else look(child, seen);
  }
}

function addSeen(child: XmlElement, seen: Seen): void {
  if (child.name === "w:t" || child.name === "m:t") seen.text += child.children.join("");
  else if (CHARACTERS[child.name] !== undefined) seen.text += CHARACTERS[child.name];
  else {
    if (child.name === "w:p" && seen.paragraphs++ > 0) seen.text += "\n";
    look(child, seen);
  }
}

function mark(type: string | null, fields: boolean[]): void {
  if (type === "begin") fields.push(false);
  else if (type === "separate" && fields.length > 0) fields[fields.length - 1] = true;
  else if (type === "end") fields.pop();
}

/** Scripts that put no spaces between words. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";

const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
// `don't`, `2,800`, `12:30` and `2'800` are one word each; `yes,no` are two and a sign.
const WORD = /[\p{L}\p{N}\p{M}_]+(?:['\u2019]\p{L}+|(?<=\p{N})[.,:'\u2019](?=\p{N})[\p{L}\p{N}\p{M}_]+)*/u;
const WORDS = new RegExp(`${WORD.source}|\\s+|[^\\p{L}\\p{N}\\p{M}_\\s]`, "gu");
const NUMBER = "\\p{N}+(?:[.,:'\\u2019]\\p{N}+)+";
const SIGNS = new RegExp(
  `[${UNSPACED}]\\p{M}*|${NUMBER}|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}_])+|\\s+|[^\\s]`,
  "gu",
);

/**
 * Words, numbers, spaces and signs: the pieces in which texts are compared. Joined they are the text again. A character
 * of a script without spaces is a piece of its own.
 */
export function wordsOf(text: string): readonly string[] {
  return text.match(HAS_UNSPACED.test(text) ? SIGNS : WORDS) ?? [];
}
