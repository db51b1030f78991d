import fc from "fast-check";
import { type Extras, field, NAMESPACES, paragraph, relationship, run, SECTION } from "./document.js";

// Documents as people have them: texts with formats, lists, tables, fields, links, pictures, formulas, notes. The ids by
// which a document refers to its parts are made anew for each, as programs do.

export type Piece =
  | { readonly kind: "text"; readonly text: string; readonly format: string }
  | { readonly kind: "tab" | "break" | "bookmark" | "formula" | "field" | "simple" | "control" }
  | { readonly kind: "link" | "picture" | "note"; readonly to: number; readonly text: string };

export type Paragraph = {
  readonly kind: "p";
  readonly properties: string;
  readonly pieces: readonly Piece[];
};

export type Block =
  | Paragraph
  | { readonly kind: "table"; readonly rows: readonly (readonly (readonly Paragraph[])[])[] }
  | { readonly kind: "control"; readonly blocks: readonly Paragraph[] }
  /** A field from the first to the last of them. */
  | { readonly kind: "contents"; readonly lines: readonly string[] };

const FORMATS = ["", "", "", "<w:b/>", "<w:i/>", '<w:sz w:val="28"/>', '<w:lang w:val="de-DE"/>'];
const WORDS = [
  "We",
  "have",
  "three",
  "four",
  "apples",
  "and",
  "a",
  "cat",
  "costs",
  "rise",
  "fall",
  "in",
  "May",
  "it's",
  "3.5",
];
const STYLES = [
  "",
  "",
  "",
  '<w:pStyle w:val="Heading1"/>',
  '<w:pStyle w:val="Quote"/>',
  '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>',
];

const words = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 })
  .chain((some) => fc.constantFrom("", " ", ", ").map((end) => some.join(" ") + end));

const text = fc.record({
  kind: fc.constant("text" as const),
  text: words,
  format: fc.constantFrom(...FORMATS),
});

const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 12, arbitrary: text },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("tab", "break", "bookmark", "formula", "field", "simple", "control"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("link", "picture", "note"), to: fc.nat(3), text: words }),
  },
);

const someParagraph: fc.Arbitrary<Paragraph> = fc.record({
  kind: fc.constant("p" as const),
  properties: fc.constantFrom(...STYLES),
  pieces: fc.array(piece, { maxLength: 5 }),
});

const cell = fc.array(someParagraph, { minLength: 1, maxLength: 2 });
const table = fc
  .integer({ min: 1, max: 3 })
  .chain((columns) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 3 }),
  )
  .map((rows) => ({ kind: "table" as const, rows }));

export const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 10, arbitrary: someParagraph },
  { weight: 2, arbitrary: table },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("control" as const),
      blocks: fc.array(someParagraph, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("contents" as const),
      lines: fc.array(words, { minLength: 2, maxLength: 3 }),
    }),
  },
);

/** What somebody does to a document: `at` is taken modulo its length. */
const change = fc.record({
  kind: fc.constantFrom("insert", "delete", "replace", "words", "words", "words", "move"),
  at: fc.nat(20),
  other: fc.nat(20),
  block,
  text,
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function apply(
  blocks: readonly Block[],
  { kind, at, other, block: one, text: said }: Change,
): readonly Block[] {
  const place = blocks.length === 0 ? 0 : at % blocks.length;
  const found = blocks[place];
  if (kind === "insert" || found === undefined) return blocks.toSpliced(Math.min(at, blocks.length), 0, one);
  if (kind === "delete") return blocks.toSpliced(place, 1);
  if (kind === "replace") return blocks.toSpliced(place, 1, one);
  if (kind === "move") return blocks.toSpliced(place, 1).toSpliced(other % blocks.length, 0, found);
  return blocks.toSpliced(place, 1, withWords(found, other, said));
}

function withWords(one: Block, at: number, said: Piece): Block {
  if (one.kind === "p") {
    const place = one.pieces.length === 0 ? 0 : at % one.pieces.length;
    return { ...one, pieces: one.pieces.toSpliced(place, at % 2, said) };
  }
  if (one.kind === "control")
    return {
      ...one,
      blocks: one.blocks.map((each, index) =>
        index === 0 ? (withWords(each, at, said) as Paragraph) : each,
      ),
    };
  if (one.kind === "contents") return { ...one, lines: one.lines.toSpliced(0, 1, "Contents") };
  if (at % 4 === 0 && one.rows.length > 1)
    return { ...one, rows: one.rows.toSpliced(at % one.rows.length, 1) };
  const [row = [], ...rows] = one.rows;
  const [first = [], ...others] = row;
  const [paragraphOf, ...rest] = first;
  if (paragraphOf === undefined) return one;
  const changed = [withWords(paragraphOf, at, said) as Paragraph, ...rest];
  return { ...one, rows: [[at % 3 === 0 ? [...changed, paragraphOf] : changed, ...others], ...rows] };
}

const blocks = fc.array(block, { minLength: 1, maxLength: 7 });

/** A document and another: mostly what became of it, sometimes one that has nothing to do with it. */
export const pair: fc.Arbitrary<readonly [readonly Block[], readonly Block[]]> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(blocks, fc.array(change, { minLength: 1, maxLength: 4 }))
      .map(([old, changes]) => [old, changes.reduce(apply, old)] as const),
  },
  { weight: 1, arbitrary: fc.tuple(blocks, blocks) },
);

/** The blocks without pieces of these kinds. */
export function without(all: readonly Block[], kinds: ReadonlySet<Piece["kind"]>): readonly Block[] {
  const less = (one: Paragraph): Paragraph => ({
    ...one,
    pieces: one.pieces.filter(({ kind }) => !kinds.has(kind)),
  });
  return all.map((one): Block => {
    if (one.kind === "p") return less(one);
    if (one.kind === "control") return { ...one, blocks: one.blocks.map(less) };
    if (one.kind === "contents") return one;
    return { ...one, rows: one.rows.map((cells) => cells.map((each) => each.map(less))) };
  });
}

/** The body of a document, and its parts. `offset` makes the ids of two documents differ. */
export function render(
  all: readonly Block[],
  offset: number,
): { readonly body: string; readonly extras: Extras } {
  const lines: string[] = [];
  const notes: string[] = [];
  const parts: Record<string, string | Uint8Array> = {};
  let next = offset;
  const relate = (kind: string, target: string, external: boolean): string => {
    const id = `rId${++next + 10}`;
    lines.push(relationship(id, kind, target, external));
    return id;
  };
  const wordsOf = (one: Piece): string => {
    switch (one.kind) {
      case "text":
        return run(one.text, one.format);
      case "tab":
        return "<w:r><w:tab/></w:r>";
      case "break":
        return "<w:r><w:br/></w:r>";
      case "bookmark":
        return `<w:bookmarkStart w:id="${++next}" w:name="b${next}"/><w:bookmarkEnd w:id="${next}"/>`;
      case "formula":
        return "<m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath>";
      case "field":
        return field("PAGE", "7");
      case "simple":
        return `<w:fldSimple w:instr=" AUTHOR ">${run("Ada")}</w:fldSimple>`;
      case "control":
        return `<w:sdt><w:sdtPr><w:tag w:val="t"/></w:sdtPr><w:sdtContent>${run("chosen")}</w:sdtContent></w:sdt>`;
      case "link":
        return `<w:hyperlink r:id="${relate("hyperlink", `https://example.org/${one.to}`, true)}">${run(one.text, "<w:u/>")}</w:hyperlink>`;
      case "picture": {
        parts[`word/media/p${offset}-${one.to}.png`] = Buffer.from(`picture ${one.to}`);
        return `<w:r><w:drawing><pic:blip xmlns:pic="urn:pic" r:embed="${relate("image", `media/p${offset}-${one.to}.png`, false)}"/></w:drawing></w:r>`;
      }
      case "note": {
        const id = notes.length + 1 + offset;
        notes.push(`<w:footnote w:id="${id}">${paragraph(`Note ${one.to}`)}</w:footnote>`);
        return `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="${id}"/></w:r>`;
      }
    }
  };
  const paragraphOf = ({ properties, pieces }: Paragraph): string =>
    `<w:p>${properties === "" ? "" : `<w:pPr>${properties}</w:pPr>`}${pieces.map(wordsOf).join("")}</w:p>`;
  const mark = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const blockOf = (one: Block): string => {
    switch (one.kind) {
      case "p":
        return paragraphOf(one);
      case "control":
        return `<w:sdt><w:sdtPr><w:tag w:val="block"/></w:sdtPr><w:sdtContent>${one.blocks.map(paragraphOf).join("")}</w:sdtContent></w:sdt>`;
      case "contents": {
        const shown = one.lines.map((line) => run(line));
        const [first = "", ...others] = shown;
        const last = others.pop() ?? "";
        const begin = `${mark("begin")}<w:r><w:instrText> TOC </w:instrText></w:r>${mark("separate")}${first}`;
        return [begin, ...others, `${last}${mark("end")}`].map((content) => `<w:p>${content}</w:p>`).join("");
      }
      case "table": {
        const grid = (one.rows[0] ?? []).map(() => '<w:gridCol w:w="2000"/>').join("");
        const rows = one.rows.map(
          (row) =>
            `<w:tr>${row.map((each) => `<w:tc>${each.map(paragraphOf).join("")}</w:tc>`).join("")}</w:tr>`,
        );
        return `<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/></w:tblPr><w:tblGrid>${grid}</w:tblGrid>${rows.join("")}</w:tbl>`;
      }
    }
  };
  const body = all.map(blockOf).join("") + SECTION;
  const types: string[] = [];
  if (notes.length > 0) {
    parts["word/footnotes.xml"] = `<w:footnotes ${NAMESPACES}>${notes.join("")}</w:footnotes>`;
    types.push(
      '<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/>',
    );
    relate("footnotes", "footnotes.xml", false);
  }
  return { body, extras: { relationships: lines.join(""), parts, types: types.join("") } };
}
