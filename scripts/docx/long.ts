import { writeZip } from "../../packages/workflow-docx/src/zip/index.js";
import { heading, partsOf, run } from "../../packages/workflow-docx/test/support/document.js";

const WORDS =
  "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years much where your way down should because long each just state those people too".split(
    " ",
  );
const FORMATS = [
  "",
  "",
  "<w:b/>",
  "<w:i/>",
  '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="22"/>',
];

/** Two documents that differ in a word of every paragraph, and in every second heading or in all of them. */
export function longDocuments(
  length: number,
  keepsHeadings: boolean,
): { readonly old: Uint8Array; readonly now: Uint8Array } {
  let seed = 1;
  const below = (limit: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >>> 8) % limit;
  };
  const words = (count: number): string[] =>
    Array.from({ length: count }, () => WORDS[below(WORDS.length)] ?? "");
  const [old, now]: [string[], string[]] = [[], []];
  for (let at = 0; at < length; at++) {
    if (at % 25 === 0) {
      const text = words(4).join(" ");
      old.push(heading(text));
      now.push(heading(keepsHeadings && at % 50 === 0 ? text : `${text} changed`));
      continue;
    }
    const runs = Array.from({ length: 4 + below(4) }, () => ({
      text: words(8 + below(10)),
      format: FORMATS[below(FORMATS.length)] ?? "",
    }));
    const place = below(runs.length);
    const changed = runs.map((one, index) =>
      index === place ? { ...one, text: one.text.toSpliced(below(one.text.length), 1, `changed${at}`) } : one,
    );
    const paragraph = (all: typeof runs, id: string): string =>
      `<w:p w:rsidR="${id}${at}"><w:pPr><w:jc w:val="both"/></w:pPr>${all.map(({ text, format }) => run(`${text.join(" ")} `, format)).join("")}</w:p>`;
    old.push(paragraph(runs, "00A1"));
    now.push(paragraph(changed, "00B2"));
  }
  return { old: writeZip(partsOf(old.join(""))), now: writeZip(partsOf(now.join(""))) };
}
