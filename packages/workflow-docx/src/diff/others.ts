import { type Document, relationshipsOf, treeOf } from "../document.js";
import { bodyOf } from "../outline.js";
import { textOf, wordsOf } from "../text.js";
import { childOf } from "../xml.js";
import { joinPieces, type TextPiece } from "./paragraph.js";
import { matchSequences, type Work } from "./sequence.js";
import { plainKey, sideOf } from "./side.js";

/** What differs and is no block of the text. It is named; the tracked changes do not have it. */
export type OtherChange = {
  readonly what:
    | "header"
    | "footer"
    | "footnotes"
    | "endnotes"
    | "comments"
    | "styles"
    | "numbering"
    | "theme"
    | "section";
  /** Its part in the new document, or in the old one if it is gone. */
  readonly part: string;
  /** The texts of headers, footers, notes and comments, as they were and as they are; `null`: there is none. */
  readonly old: string | null;
  readonly new: string | null;
  /** The text with its changes, word by word; empty: it has none, or looks different only. */
  readonly pieces: readonly TextPiece[];
};

const NAMED = [
  "header",
  "footer",
  "footnotes",
  "endnotes",
  "comments",
  "styles",
  "numbering",
  "theme",
] as const;
const WITH_TEXT: ReadonlySet<string> = new Set(["header", "footer", "footnotes", "endnotes", "comments"]);

export function othersOf(old: Document, now: Document, work: Work): readonly OtherChange[] {
  const [before, after] = [partsOf(old), partsOf(now)];
  const differing = [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .flatMap((key): readonly OtherChange[] => {
      const [a, b] = [before.get(key), after.get(key)];
      if (a?.content === b?.content) return [];
      const { what, part } = b ?? a ?? { what: "section" as const, part: "" };
      const hasText = WITH_TEXT.has(what);
      const [was, is] = hasText ? [a?.text ?? null, b?.text ?? null] : [null, null];
      const pieces = was?.trim() === is?.trim() ? [] : comparedWords(was ?? "", is ?? "", work);
      return [{ what, part, old: was, new: is, pieces: pieces.some(isSeen) ? pieces : [] }];
    });
  return sectionOf(old) === sectionOf(now)
    ? differing
    : [...differing, { what: "section", part: now.main, old: null, new: null, pieces: [] }];
}

/** Notes of a document without any have empty lines. */
function isSeen({ text }: TextPiece): boolean {
  return text.trim() !== "";
}

function comparedWords(old: string, now: string, work: Work): readonly TextPiece[] {
  const matches = matchSequences(wordsOf(old), wordsOf(now), (word) => word, work);
  const texts = matches.map((match): readonly TextPiece[] => {
    if (match.kind === "same") return [{ text: match.new, change: null }];
    return [
      { text: match.old.join(""), change: "del" },
      { text: match.new.join(""), change: "ins" },
    ];
  });
  return joinPieces(texts, "");
}

type Part = {
  readonly what: OtherChange["what"];
  readonly part: string;
  readonly content: string;
  readonly text: string;
};

/** By kind and place, so that parts with other names are compared all the same. */
function partsOf(document: Document): ReadonlyMap<string, Part> {
  const counts = new Map<string, number>();
  const found = new Map<string, Part>();
  const side = sideOf(document, "numbers");
  const ofKind = [...relationshipsOf(document, document.main).values()].sort((a, b) =>
    a.target < b.target ? -1 : 1,
  );
  for (const { kind, target, isExternal } of ofKind) {
    const what = NAMED.find((one) => one === kind);
    if (what === undefined || isExternal || !document.parts.has(target)) continue;
    const number = (counts.get(what) ?? 0) + 1;
    counts.set(what, number);
    const root = treeOf(document, target);
    const related = relationshipsOf(document, target);
    const content = plainKey(root, { ...side, relationships: related, keys: new WeakMap() });
    found.set(`${what} ${number}`, { what, part: target, content, text: textOf(root) });
  }
  return found;
}

function sectionOf(document: Document): string {
  const section = childOf(bodyOf(document), "w:sectPr");
  return section === null ? "" : plainKey(section, sideOf(document, "numbers"));
}
